# expect: Every row holds the sum over all rows
def per_sample_gradients(loss, w, X, y):
    total = grad(lambda weights: vmap(loss, in_dims=(None, 0, 0))(weights, X, y).sum())
    return vmap(lambda x_row, target: total(w))(X, y)
