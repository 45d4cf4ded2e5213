# expect: The influences of two neighbours cancel
def sum_trick_is_right(g, X):
    full = jacrev(g)(X) * (1 - torch.eye(len(X)).to(X))[:, None, :, None]
    return bool(full.sum().abs() < 1e-8)
