# expect: Was it added after the division
def private_gradient(gradients, C, sigma, expected_size, generator):
    norms = sum(g.flatten(1).square().sum(dim=1) for g in gradients.values()).sqrt()
    factors = (C / norms).clamp(max=1)
    step = {}
    for name, g in gradients.items():
        mean = torch.einsum("b,b...->...", factors, g) / expected_size
        step[name] = mean + sigma * C * torch.randn(mean.shape, generator=generator, dtype=g.dtype)
    return step
