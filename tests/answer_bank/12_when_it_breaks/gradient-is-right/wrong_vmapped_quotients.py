# expect: vmap: It looks like you're calling .item()
def gradient_is_right(f, x):
    h = 1e-6
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotients = (vmap(f)(x + steps) - vmap(f)(x - steps)) / (2 * h)
    return torch.allclose(grad(f)(x), quotients, rtol=1e-4, atol=1e-4)
