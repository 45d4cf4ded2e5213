from torch.func import jacfwd


def batched_jacobian(f, X):
    return vmap(jacfwd(f), in_dims=0)(X)
