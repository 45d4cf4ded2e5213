def largest_move(total, X):
    full = total(X)
    moves = []
    for i in range(len(X)):
        rest = total(torch.cat((X[:i], X[i + 1 :])))
        moves.append(torch.stack([(full[k] - rest[k]).norm() for k in full]).norm())
    return max(moves)
