# expect: The rows' gradients got a λ
def influences(loss, w, X, y, X_test, y_test, lam):
    losses = lambda w, X, y: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    regularised = lambda w, x_row, target: loss(w, x_row, target) + lam / 2 * w @ w
    H = hessian(lambda w: losses(w, X, y).mean() + lam / 2 * w @ w)(w)
    g = grad(lambda w: losses(w, X_test, y_test).mean())(w)
    return vmap(grad(regularised), in_dims=(None, 0, 0))(w, X, y) @ torch.linalg.solve(H, g) / len(X)
