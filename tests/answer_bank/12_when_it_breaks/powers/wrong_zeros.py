# expect: vmap(powers, in_dims=(0, None))(x, 4)
def powers(x, n):
    result = torch.zeros(n)
    result[0] = 1
    for k in range(1, n):
        result[k] = result[k - 1] * x
    return result
