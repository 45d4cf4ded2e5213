# expect: The influences of two inputs cancel
def sum_trick_is_right(g, X):
    sums = jacrev(g)(X).sum(dim=3)
    return bool((sums * (1 - torch.eye(len(X), dtype=X.dtype))[:, None]).abs().max() < 1e-8)
