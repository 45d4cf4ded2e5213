# expect: clipped by its own norm
def private_gradient(gradients, C, sigma, expected_size, generator):
    step = {}
    for name, g in gradients.items():
        factors = (C / g.flatten(1).norm(dim=1)).clamp(max=1)
        total = torch.einsum("b,b...->...", factors, g)
        step[name] = (total + sigma * C * torch.randn(total.shape, generator=generator, dtype=g.dtype)) / expected_size
    return step
