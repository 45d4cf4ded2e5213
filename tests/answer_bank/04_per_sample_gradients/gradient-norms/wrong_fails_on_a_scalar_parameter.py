# expect: An axis is asked for that the tensor does not have
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(plain, X, Y)
    return sum((part**2).flatten(1).sum(dim=1) for part in table.values()).sqrt()
