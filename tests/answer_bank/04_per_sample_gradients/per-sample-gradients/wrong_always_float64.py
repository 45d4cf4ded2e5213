# expect: dtype float64, expected float32
def per_sample_gradients(loss, w, X, y):
    return vmap(grad(loss), in_dims=(None, 0, 0))(w.double(), X.double(), y.double())
