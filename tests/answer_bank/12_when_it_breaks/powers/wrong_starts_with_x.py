# expect: The powers start with x
def powers(x, n):
    return torch.stack([x ** (k + 1) for k in range(n)])
