# expect: still attached to a graph
def gradient_norms(loss, params, X, Y):
    def norm(params, x_row, target):
        return torch.stack([part.norm() for part in grad(loss)(params, x_row, target).values()]).norm()

    return vmap(norm, in_dims=(None, 0, 0))(params, X, Y)
