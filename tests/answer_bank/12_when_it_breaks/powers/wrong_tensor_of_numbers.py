# expect: vmap(powers, in_dims=(0, None))(x, 4)
def powers(x, n):
    return torch.tensor([x**k for k in range(n)])
