def self_influences(loss, w, X, y, lam):
    losses = lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    inverse = torch.linalg.inv(hessian(lambda w: losses(w).mean() + lam / 2 * w @ w)(w))
    G = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    return torch.einsum("nd,de,ne->n", G, inverse, G) / len(G)
