def powers(x, n):
    result = torch.zeros_like(x).expand(n).clone()
    result[0] = 1
    for k in range(1, n):
        result[k] = result[k - 1].clone() * x
    return result
