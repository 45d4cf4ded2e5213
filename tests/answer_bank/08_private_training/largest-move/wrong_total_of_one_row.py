# expect: The sums of single rows were looked at
def largest_move(total, X):
    moves = []
    for i in range(len(X)):
        alone = total(X[i : i + 1])
        moves.append(sum(value.square().sum() for value in alone.values()).sqrt())
    return torch.stack(moves).max()
