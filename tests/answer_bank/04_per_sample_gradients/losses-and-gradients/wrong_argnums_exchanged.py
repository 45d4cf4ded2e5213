# expect: The two gradients are exchanged
def losses_and_gradients(loss, w, b, X, y):
    gradients, losses = vmap(grad_and_value(loss, argnums=(1, 0)), in_dims=(None, None, 0, 0))(w, b, X, y)
    return losses, gradients
