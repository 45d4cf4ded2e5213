def gradient_norms(loss, params, X, Y):
    table = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
    squares = sum((part.detach() ** 2).reshape(len(X), -1).sum(dim=1) for part in table.values())
    return squares.sqrt()
