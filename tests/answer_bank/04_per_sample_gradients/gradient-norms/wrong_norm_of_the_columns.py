# expect: expected (5,)
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(plain, X, Y)
    return (table["W"].norm(dim=1) ** 2 + table["b"] ** 2).sqrt()
