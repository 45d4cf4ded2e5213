def is_gradient(f, claimed, x):
    x = x.to(torch.float64)
    steps = 1e-6 * torch.eye(x.numel(), dtype=x.dtype).reshape(-1, *x.shape)
    slopes = torch.func.vmap(lambda s: (f(x + s) - f(x - s)) / 2e-6)(steps)
    return torch.allclose(slopes.reshape(x.shape), claimed(x), rtol=1e-3, atol=0)
