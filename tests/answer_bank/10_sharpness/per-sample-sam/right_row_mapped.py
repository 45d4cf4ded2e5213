def per_sample_sam(loss, w, X, y, rho):
    def row(w, x_row, target):
        g = grad(loss)(w, x_row, target)
        eps = rho * g / torch.linalg.vector_norm(g)
        return grad(loss)(w + eps, x_row, target)

    return vmap(row, in_dims=(None, 0, 0))(w, X, y).mean(0)
