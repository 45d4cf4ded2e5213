def sum_trick_is_right(g, X):
    full = jacrev(g)(X)
    B = len(X)
    different = ~torch.eye(B, dtype=torch.bool)
    return bool((full.movedim(1, 2)[different].abs() < 1e-8).all())
