# expect: Every row has the norm of the mean gradient
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}

    def norm(x_row, target):
        gradients = grad(lambda p: vmap(loss, in_dims=(None, 0, 0))(p, X, Y).mean())(plain)
        return torch.stack([part.norm() for part in gradients.values()]).norm()

    return vmap(norm)(X, Y)
