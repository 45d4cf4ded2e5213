# expect: All steps were divided by one norm
def per_sample_sam(loss, w, X, y, rho):
    G = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    return vmap(grad(loss))(w + rho * G / G.norm(), X, y).mean(dim=0)
