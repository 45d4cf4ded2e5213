# expect: These are the norms of b's gradients alone
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(plain, X, Y)
    for part in table.values():
        norms = part.reshape(len(X), -1).norm(dim=1)
    return norms
