# expect: Was it added to every row
def private_gradient(gradients, C, sigma, expected_size, generator):
    norms = sum(g.flatten(1).square().sum(dim=1) for g in gradients.values()).sqrt()
    factors = (C / norms).clamp(max=1)
    step = {}
    for name, g in gradients.items():
        clipped = torch.einsum("b,b...->b...", factors, g)
        noisy = clipped + sigma * C * torch.randn(clipped.shape, generator=generator, dtype=g.dtype)
        step[name] = noisy.sum(dim=0) / expected_size
    return step
