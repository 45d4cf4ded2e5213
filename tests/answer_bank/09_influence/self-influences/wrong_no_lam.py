# expect: λ is missing in H
def self_influences(loss, w, X, y, lam):
    losses = lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    H = hessian(lambda w: losses(w).mean())(w)
    G = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    return (G * torch.linalg.solve(H, G.T).T).sum(dim=1) / len(X)
