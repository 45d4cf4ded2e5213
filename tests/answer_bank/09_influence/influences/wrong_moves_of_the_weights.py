# expect: the moves of the weights
def influences(loss, w, X, y, X_test, y_test, lam):
    losses = lambda w, X, y: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    H = hessian(lambda w: losses(w, X, y).mean() + lam / 2 * w @ w)(w)
    return vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y) @ torch.linalg.inv(H) / len(X)
