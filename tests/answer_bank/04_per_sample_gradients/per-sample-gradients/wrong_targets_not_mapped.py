# expect: Is there a row too many, or a .sum() too few?
def per_sample_gradients(loss, w, X, y):
    return vmap(grad(loss), in_dims=(None, 0, None))(w, X, y)
