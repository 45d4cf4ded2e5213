# expect: Two arguments are walked along axes of different length
def per_sample_gradients(loss, w, X, y):
    return vmap(grad(loss))(w, X, y)
