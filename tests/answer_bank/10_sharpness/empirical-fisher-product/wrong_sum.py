# expect: The rows were added up
def empirical_fisher_product(loss, w, X, y, v):
    G = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    return G.T @ (G @ v)
