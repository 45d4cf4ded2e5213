# expect: The influences on the two outputs cancel
def sum_trick_is_right(g, X):
    sums = jacrev(g)(X).sum(dim=1)
    return bool((sums * (1 - torch.eye(len(X), dtype=X.dtype))[:, :, None]).abs().max() < 1e-8)
