# expect: One power is missing
def powers(x, n):
    result = [torch.ones_like(x)]
    for _ in range(n - 2):
        result.append(result[-1] * x)
    return torch.stack(result)
