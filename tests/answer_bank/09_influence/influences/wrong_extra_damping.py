# expect: influences(loss, w, X, y, X_test, y_test, 0.2)
def influences(loss, w, X, y, X_test, y_test, lam):
    losses = lambda w, X, y: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    H = hessian(lambda w: losses(w, X, y).mean() + lam / 2 * w @ w)(w) + 0.01 * torch.eye(len(w), dtype=w.dtype)
    g = grad(lambda w: losses(w, X_test, y_test).mean())(w)
    return vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y) @ torch.linalg.solve(H, g) / len(X)
