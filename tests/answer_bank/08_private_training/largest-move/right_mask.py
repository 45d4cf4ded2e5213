def largest_move(total, X):
    everyone = total(X)
    worst = torch.zeros((), dtype=X.dtype)
    for i in range(len(X)):
        keep = torch.arange(len(X)) != i
        without = total(X[keep])
        change = torch.cat([(everyone[k] - without[k]).flatten() for k in everyone])
        worst = torch.maximum(worst, change.norm())
    return worst
