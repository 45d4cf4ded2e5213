# expect: This is the mean gradient times its product
def empirical_fisher_product(loss, w, X, y, v):
    g = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y).mean(dim=0)
    return g * (g @ v)
