# expect: each for all rows in one call of vmap
def per_sample_sam(loss, w, X, y, rho):
    total = torch.zeros_like(w)
    for x_row, target in zip(X, y):
        g = grad(loss)(w, x_row, target)
        total = total + grad(loss)(w + rho * g / g.norm(), x_row, target)
    return total / len(X)
