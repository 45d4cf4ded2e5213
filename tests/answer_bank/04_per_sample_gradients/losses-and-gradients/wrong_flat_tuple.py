# expect: in a tuple of their own behind the losses
def losses_and_gradients(loss, w, b, X, y):
    (of_w, of_b), losses = vmap(grad_and_value(loss, argnums=(0, 1)), in_dims=(None, None, 0, 0))(w, b, X, y)
    return losses, of_w, of_b
