def rounded(x):
    return x + (x.round() - x).detach()
