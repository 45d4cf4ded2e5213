# expect: The move has the wrong sign
def weights_without(loss, w, X, y, lam, left_out):
    losses = lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    H = hessian(lambda w: losses(w).mean())(w) + lam * torch.eye(len(w), dtype=w.dtype)
    g = grad(lambda w: (losses(w) * left_out).sum())(w)
    return w - torch.linalg.solve(H, g) / len(y)
