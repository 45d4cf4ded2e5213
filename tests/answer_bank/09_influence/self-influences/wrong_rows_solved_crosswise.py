# expect: self_influences(loss, w, X, y, 0.05)
def self_influences(loss, w, X, y, lam):
    losses = lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    H = hessian(lambda w: losses(w).mean() + lam / 2 * w @ w)(w)
    G = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    return (G * torch.linalg.solve(H, G.T)).sum(dim=1) / len(X)
