# expect: sum_trick_is_right(g, X) for
def sum_trick_is_right(g, X):
    full = jacrev(g)(X)
    trick = jacrev(lambda X: g(X).sum(dim=0))(X)
    return torch.allclose(full.sum(dim=0), trick)
