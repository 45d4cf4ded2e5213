# expect: The last row of the output depends on row 0
def sum_trick_is_right(g, X):
    full = jacrev(g)(X)
    return all(bool(full[i, :, i + 1 :].abs().max() < 1e-8) for i in range(len(X) - 1))
