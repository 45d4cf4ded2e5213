# expect: every value is 5 times too small
def gradient_norms(loss, params, X, Y):
    def norm(params, x_row, target):
        gradients = grad(lambda p: loss(p, x_row, target) / len(X))(params)
        return torch.stack([part.norm() for part in gradients.values()]).norm()

    return vmap(norm, in_dims=(None, 0, 0))({k: v.detach() for k, v in params.items()}, X, Y)
