# expect: It was multiplied by H
def influences(loss, w, X, y, X_test, y_test, lam):
    losses = lambda w, X, y: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    objective = lambda w: losses(w, X, y).mean() + lam / 2 * w @ w
    g = grad(lambda w: losses(w, X_test, y_test).mean())(w)
    s = jvp(grad(objective), (w,), (g,))[1]
    return vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y) @ s / len(X)
