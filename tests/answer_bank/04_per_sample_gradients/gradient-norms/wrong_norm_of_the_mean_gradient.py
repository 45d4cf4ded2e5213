# expect: This is the norm of the mean gradient
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(plain, X, Y)
    return torch.stack([part.mean(dim=0).norm() for part in table.values()]).norm()
