# expect: in_dims needs one entry for each positional argument
def losses_and_gradients(loss, w, b, X, y):
    gradients, losses = vmap(grad_and_value(loss, argnums=(0, 1)), in_dims=(None, 0, 0))(w, b, X, y)
    return losses, gradients
