# expect: the sign is reversed
def leave_one_out(loss, w, X, y):
    table = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    return (table - table.sum(dim=0)) / (len(X) - 1)
