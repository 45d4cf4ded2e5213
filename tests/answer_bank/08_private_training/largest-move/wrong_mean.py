# expect: This is the mean of the moves
def largest_move(total, X):
    everyone = total(X)
    moves = []
    for i in range(len(X)):
        without = total(torch.cat([X[:i], X[i + 1 :]]))
        moves.append(sum((everyone[name] - without[name]).square().sum() for name in everyone).sqrt())
    return torch.stack(moves).mean()
