# expect: repeats
def private_gradient(gradients, C, sigma, expected_size, generator):
    norms = sum(g.flatten(1).square().sum(dim=1) for g in gradients.values()).sqrt()
    factors = (C / norms).clamp(max=1)
    step = {}
    for name, g in gradients.items():
        total = torch.einsum("b,b...->...", factors, g)
        step[name] = (total + sigma * C * torch.randn((), generator=generator, dtype=g.dtype)) / expected_size
    return step
