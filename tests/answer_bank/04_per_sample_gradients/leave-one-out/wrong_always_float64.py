# expect: dtype float64, expected float32
def leave_one_out(loss, w, X, y):
    table = vmap(grad(loss), in_dims=(None, 0, 0))(w.double(), X.double(), y.double())
    return (table.sum(dim=0) - table) / (len(X) - 1)
