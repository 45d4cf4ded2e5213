# expect: This is one norm of the whole table
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(plain, X, Y)
    return torch.stack([part.norm() for part in table.values()]).norm()
