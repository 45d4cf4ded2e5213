def sum_trick_is_right(g, X):
    full = jacrev(g)(X)
    for i in range(len(X)):
        for j in range(len(X)):
            if i != j and full[i, :, j].abs().max() >= 1e-8:
                return False
    return True
