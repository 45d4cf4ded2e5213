# expect: It was differentiated through ε
def per_sample_sam(loss, w, X, y, rho):
    def uphill(w, x_row, target):
        g = grad(loss)(w, x_row, target)
        return loss(w + rho * g / g.norm(), x_row, target)

    return vmap(grad(uphill), in_dims=(None, 0, 0))(w, X, y).mean(dim=0)
