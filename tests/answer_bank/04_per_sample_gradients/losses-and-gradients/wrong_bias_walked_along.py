# expect: in_dim=0 for some input
def losses_and_gradients(loss, w, b, X, y):
    gradients, losses = vmap(grad_and_value(loss, argnums=(0, 1)), in_dims=(None, 0, 0, 0))(w, b, X, y)
    return losses, gradients
