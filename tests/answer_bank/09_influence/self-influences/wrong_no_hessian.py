# expect: squared norms of the gradients
def self_influences(loss, w, X, y, lam):
    G = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    return (G * G).sum(dim=1) / len(X)
