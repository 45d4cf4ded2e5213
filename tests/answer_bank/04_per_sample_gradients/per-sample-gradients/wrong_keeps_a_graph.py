# expect: still attached to a graph
def per_sample_gradients(loss, w, X, y):
    leaf = w.clone().requires_grad_(True)
    return vmap(grad(loss), in_dims=(None, 0, 0))(leaf, X, y)
