# expect: Each output row depends on its own input row alone
def sum_trick_is_right(g, X):
    full = jacrev(g)(X) * (1 - torch.eye(len(X)))[:, None, :, None]
    return bool(full.abs().max() > 1e-8)
