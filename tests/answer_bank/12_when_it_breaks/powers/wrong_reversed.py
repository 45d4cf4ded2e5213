# expect: The order is reversed
def powers(x, n):
    return torch.stack([x**k for k in reversed(range(n))])
