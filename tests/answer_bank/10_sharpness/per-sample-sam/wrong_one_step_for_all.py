# expect: All rows share one step uphill
def per_sample_sam(loss, w, X, y, rho):
    mean_loss = lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X, y).mean()
    g = grad(mean_loss)(w)
    return grad(mean_loss)(w + rho * g / g.norm())
