# expect: By default the first argument alone is differentiated
def losses_and_gradients(loss, w, b, X, y):
    gradients, losses = vmap(grad_and_value(loss), in_dims=(None, None, 0, 0))(w, b, X, y)
    return losses, gradients
