def is_gradient(f, claimed, x):
    x = x.double()
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        direction = torch.randn(x.shape, generator=generator, dtype=x.dtype)
        slope = (f(x + 1e-5 * direction) - f(x - 1e-5 * direction)) / 2e-5
        terms = claimed(x) * direction
        if not abs(slope - terms.sum()) <= 1e-5 * terms.abs().sum():
            return False
    return True
