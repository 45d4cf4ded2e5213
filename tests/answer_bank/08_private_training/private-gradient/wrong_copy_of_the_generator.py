# expect: not from a copy of it
def private_gradient(gradients, C, sigma, expected_size, generator):
    own = torch.Generator().manual_seed(generator.initial_seed())
    norms = sum(g.flatten(1).square().sum(dim=1) for g in gradients.values()).sqrt()
    factors = (C / norms).clamp(max=1)
    step = {}
    for name, g in gradients.items():
        total = torch.einsum("b,b...->...", factors, g)
        step[name] = (total + sigma * C * torch.randn(total.shape, generator=own, dtype=g.dtype)) / expected_size
    return step
