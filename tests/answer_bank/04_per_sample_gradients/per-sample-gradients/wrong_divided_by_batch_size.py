# expect: Every row is B = 5 times too small
def per_sample_gradients(loss, w, X, y):
    def mean_loss(w, x_row, target):
        return loss(w, x_row, target) / len(X)

    return vmap(grad(mean_loss), in_dims=(None, 0, 0))(w, X, y)
