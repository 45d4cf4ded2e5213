def per_sample_sam(loss, w, X, y, rho):
    G = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    W = w + rho * G / G.norm(dim=1, keepdim=True)
    return vmap(grad(loss))(W, X, y).mean(dim=0)
