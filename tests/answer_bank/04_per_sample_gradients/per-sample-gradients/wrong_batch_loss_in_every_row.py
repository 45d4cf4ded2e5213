# expect: Every row holds the gradient of the mean loss
def per_sample_gradients(loss, w, X, y):
    def batch_loss(w, x_row, target):
        return vmap(loss, in_dims=(None, 0, 0))(w, X, y).mean()

    return vmap(grad(batch_loss), in_dims=(None, 0, 0))(w, X, y)
