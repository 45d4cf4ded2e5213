# expect: λ is missing in H
def weights_without(loss, w, X, y, lam, left_out):
    losses = lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X, y)
    H = hessian(lambda w: losses(w).mean())(w)
    g = grad(lambda w: (losses(w) * left_out).sum())(w)
    return w + torch.linalg.pinv(H) @ g / len(y)
