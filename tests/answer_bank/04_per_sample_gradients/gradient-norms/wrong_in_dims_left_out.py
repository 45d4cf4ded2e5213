# expect: Two arguments are walked along axes of different length
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}
    table = vmap(grad(loss))(plain, X, Y)
    return sum((part**2).reshape(len(X), -1).sum(dim=1) for part in table.values()).sqrt()
