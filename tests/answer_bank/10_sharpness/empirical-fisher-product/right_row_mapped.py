def empirical_fisher_product(loss, w, X, y, v):
    def row(x_row, target):
        g = grad(loss)(w, x_row, target)
        return g * (g @ v)

    return vmap(row)(X, y).mean(dim=0)
