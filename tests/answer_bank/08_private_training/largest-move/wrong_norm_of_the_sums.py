# expect: the sums themselves, not of their change
def largest_move(total, X):
    return torch.cat([value.flatten() for value in total(X).values()]).norm()
