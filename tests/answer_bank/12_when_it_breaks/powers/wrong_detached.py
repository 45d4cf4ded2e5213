# expect: the connection lost
def powers(x, n):
    return torch.stack([x.detach() ** k for k in range(n)])
