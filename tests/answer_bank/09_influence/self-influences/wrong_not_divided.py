# expect: The factor 1/N is missing
def self_influences(loss, w, X, y, lam):
    losses = lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    H = hessian(lambda w: losses(w).mean() + lam / 2 * w @ w)(w)
    G = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    return (G * torch.linalg.solve(H, G.T).T).sum(dim=1)
