def per_sample_gradients(loss, w, X, y):
    def row_gradient(x_row, target):
        return grad(lambda weights: loss(weights, x_row, target))(w)

    return vmap(row_gradient)(X, y)
