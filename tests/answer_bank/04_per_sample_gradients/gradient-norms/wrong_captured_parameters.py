# expect: all values are zero
def gradient_norms(loss, params, X, Y):
    plain = {k: v.detach() for k, v in params.items()}

    def norm(p, x_row, target):
        gradients = grad(lambda q: loss(plain, x_row, target))(p)
        return torch.stack([part.norm() for part in gradients.values()]).norm()

    return vmap(norm, in_dims=(None, 0, 0))(plain, X, Y)
