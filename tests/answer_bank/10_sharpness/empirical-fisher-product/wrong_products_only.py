# expect: Multiply each by its gᵢ
def empirical_fisher_product(loss, w, X, y, v):
    return vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y) @ v
