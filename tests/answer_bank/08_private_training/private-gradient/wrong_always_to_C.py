# expect: scaled to norm C, the short ones too
def private_gradient(gradients, C, sigma, expected_size, generator):
    norms = sum(g.flatten(1).square().sum(dim=1) for g in gradients.values()).sqrt()
    step = {}
    for name, g in gradients.items():
        total = torch.einsum("b,b...->...", C / norms, g)
        step[name] = (total + sigma * C * torch.randn(total.shape, generator=generator, dtype=g.dtype)) / expected_size
    return step
