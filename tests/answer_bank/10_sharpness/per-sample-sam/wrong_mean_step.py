# expect: and one gradient taken there
def per_sample_sam(loss, w, X, y, rho):
    G = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    step = (rho * G / G.norm(dim=1, keepdim=True)).mean(dim=0)
    return vmap(grad(loss), in_dims=(None, 0, 0))(w + step, X, y).mean(dim=0)
