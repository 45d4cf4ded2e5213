# expect: Only the first row was left out
def largest_move(total, X):
    everyone, without = total(X), total(X[1:])
    return sum((everyone[name] - without[name]).square().sum() for name in everyone).sqrt()
