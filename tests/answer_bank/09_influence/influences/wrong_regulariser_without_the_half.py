# expect: λ counts twice
def influences(loss, w, X, y, X_test, y_test, lam):
    losses = lambda w, X, y: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    H = hessian(lambda w: losses(w, X, y).mean() + lam * w @ w)(w)
    g = grad(lambda w: losses(w, X_test, y_test).mean())(w)
    return vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y) @ torch.linalg.solve(H, g) / len(X)
