# expect: These are the gradients of the mean loss
def losses_and_gradients(loss, w, b, X, y):
    def mean_loss(w, b):
        losses = vmap(loss, in_dims=(None, None, 0, 0))(w, b, X, y)
        return losses.mean(), losses

    gradients, losses = grad(mean_loss, argnums=(0, 1), has_aux=True)(w, b)
    return losses, gradients
