# expect: where it counts for one row of many only
def leave_one_out(loss, w, X, y):
    table = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    return table.mean(dim=0) - table
