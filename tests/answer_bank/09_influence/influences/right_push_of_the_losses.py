def influences(loss, w, X, y, X_test, y_test, lam):
    losses = lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    H = hessian(lambda w: losses(w).mean())(w) + lam * torch.eye(len(w), dtype=w.dtype)
    g = grad(lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X_test, y_test).mean())(w)
    return jvp(losses, (w,), (torch.linalg.solve(H, g),))[1] / len(X)
