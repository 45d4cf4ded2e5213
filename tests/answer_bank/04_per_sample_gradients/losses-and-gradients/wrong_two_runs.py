# expect: the values are right, but error_with_bias was called twice; once is enough
def losses_and_gradients(loss, w, b, X, y):
    in_dims = (None, None, 0, 0)
    losses = vmap(loss, in_dims)(w, b, X, y)
    return losses, vmap(grad(loss, argnums=(0, 1)), in_dims)(w, b, X, y)
