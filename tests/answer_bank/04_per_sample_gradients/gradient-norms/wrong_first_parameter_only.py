# expect: These are the norms of W's gradients alone
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(plain, X, Y)
    first = next(iter(table.values()))
    return first.flatten(1).norm(dim=1)
