# expect: Each output row depends on its own input row alone
def sum_trick_is_right(g, X):
    full = jacrev(g)(X)
    return all(bool(full[i, :, i].abs().max() < 1e-8) for i in range(len(X)))
