# expect: The norms of W stand above those of b
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(plain, X, Y)
    return torch.stack([part.reshape(len(X), -1).norm(dim=1) for part in table.values()])
