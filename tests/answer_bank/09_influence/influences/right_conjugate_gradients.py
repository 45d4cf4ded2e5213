def influences(loss, w, X, y, X_test, y_test, lam):
    objective = lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X, y).mean() + lam / 2 * w @ w
    product = lambda v: jvp(grad(objective), (w,), (v,))[1]
    b = grad(lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X_test, y_test).mean())(w)
    s, r, p = torch.zeros_like(b), b, b
    for _ in range(2 * len(b)):
        if r @ r < 1e-24:
            break
        Ap = product(p)
        alpha = r @ r / (p @ Ap)
        s, new = s + alpha * p, r - alpha * Ap
        p, r = new + new @ new / (r @ r) * p, new
    return vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y) @ s / len(X)
