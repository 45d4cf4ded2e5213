# expect: 8 of 12 values are wrong
def leave_one_out(loss, w, X, y):
    table = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    return table.sum(dim=0) - table / (len(X) - 1)
