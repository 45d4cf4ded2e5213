# expect: grad differentiates a single number
def per_sample_gradients(loss, w, X, y):
    return grad(vmap(loss, in_dims=(None, 0, 0)))(w, X, y)
