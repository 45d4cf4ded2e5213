# expect: one gradient for the whole batch, that of the summed loss
def per_sample_gradients(loss, w, X, y):
    def total(w):
        return vmap(loss, in_dims=(None, 0, 0))(w, X, y).sum()

    return grad(total)(w)
