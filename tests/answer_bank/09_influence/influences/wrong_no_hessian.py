# expect: dot products of gradients
def influences(loss, w, X, y, X_test, y_test, lam):
    losses = lambda w, X, y: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    g = grad(lambda w: losses(w, X_test, y_test).mean())(w)
    return vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y) @ g / len(X)
