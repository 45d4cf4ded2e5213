# expect: sum_trick_is_right(g, X) for a function that gives each row to its neighbour
def sum_trick_is_right(g, X):
    return bool(jacrev(g)(X)[0, :, 1].abs().max() < 1e-8)
