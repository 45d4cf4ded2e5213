# expect: The largest entry was taken
def largest_move(total, X):
    everyone = total(X)
    moves = []
    for i in range(len(X)):
        without = total(torch.cat([X[:i], X[i + 1 :]]))
        moves.append(torch.cat([(everyone[name] - without[name]).flatten() for name in everyone]).abs().max())
    return torch.stack(moves).max()
