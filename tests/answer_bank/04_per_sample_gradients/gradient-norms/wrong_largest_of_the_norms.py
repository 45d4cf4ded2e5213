# expect: This is the larger of the norms of W and b in each row
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(plain, X, Y)
    return torch.stack([part.reshape(len(X), -1).norm(dim=1) for part in table.values()]).amax(dim=0)
