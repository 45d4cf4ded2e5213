# expect: This is a dict with a norm for each parameter
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(plain, X, Y)
    return {name: part.reshape(len(X), -1).norm(dim=1) for name, part in table.items()}
