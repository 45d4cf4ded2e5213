# expect: in_dims needs one entry for each positional argument
def per_sample_gradients(loss, w, X, y):
    return vmap(grad(loss), in_dims=(None, 0))(w, X, y)
