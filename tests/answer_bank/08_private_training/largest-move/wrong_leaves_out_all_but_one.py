# expect: largest_move(total, X) for a sum of rows
def largest_move(total, X):
    everyone = total(X)
    moves = []
    for i in range(len(X)):
        only = total(X[i : i + 1])
        moves.append(sum((everyone[name] - only[name]).square().sum() for name in everyone).sqrt())
    return torch.stack(moves).max()
