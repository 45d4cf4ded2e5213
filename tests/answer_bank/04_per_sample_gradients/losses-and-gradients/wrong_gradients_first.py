# expect: The gradients come first here, the losses second
def losses_and_gradients(loss, w, b, X, y):
    return vmap(grad_and_value(loss, argnums=(0, 1)), in_dims=(None, None, 0, 0))(w, b, X, y)
