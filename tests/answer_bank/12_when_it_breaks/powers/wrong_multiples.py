# expect: These are multiples
def powers(x, n):
    return torch.stack([x * k for k in range(n)])
