# expect: The norms of the tensors were added
def largest_move(total, X):
    everyone = total(X)
    moves = []
    for i in range(len(X)):
        without = total(torch.cat([X[:i], X[i + 1 :]]))
        moves.append(sum((everyone[name] - without[name]).norm() for name in everyone))
    return torch.stack(moves).max()
