# expect: The losses are there once for the batch, as their mean
def losses_and_gradients(loss, w, b, X, y):
    gradients, losses = vmap(grad_and_value(loss, argnums=(0, 1)), in_dims=(None, None, 0, 0))(w, b, X, y)
    return losses.mean(), gradients
