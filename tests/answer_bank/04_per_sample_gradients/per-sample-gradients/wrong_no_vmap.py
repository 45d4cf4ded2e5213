# expect: grad differentiates a single number
def per_sample_gradients(loss, w, X, y):
    return grad(loss)(w, X, y)
