def influences(loss, w, X, y, X_test, y_test, lam):
    losses = lambda w, X, y: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    G = jacrev(losses)(w, X, y)
    g = jacrev(losses)(w, X_test, y_test).mean(dim=0)
    H = hessian(lambda w: losses(w, X, y).mean() + lam / 2 * w.dot(w))(w)
    return (G @ torch.linalg.inv(H) @ g) / len(y)
