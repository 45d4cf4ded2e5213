# expect: These are the gradients with respect to the rows
def per_sample_gradients(loss, w, X, y):
    return vmap(grad(loss, argnums=1), in_dims=(None, 0, 0))(w, X, y)
