# expect: Are all blocks looked at
def sum_trick_is_right(g, X):
    return bool(jacrev(g)(X)[0, :, 1:].abs().max() < 1e-8)
