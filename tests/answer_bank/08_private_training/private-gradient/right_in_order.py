def private_gradient(gradients, C, sigma, expected_size, generator):
    norms = sum(g.reshape(len(g), -1).square().sum(dim=1) for g in gradients.values()).sqrt()
    factors = (C / norms).clamp(max=1)
    step = {}
    for name, g in gradients.items():
        total = torch.einsum("b,b...->b...", factors, g).sum(dim=0)
        total = total + sigma * C * torch.randn(total.shape, generator=generator, dtype=total.dtype)
        step[name] = total / expected_size
    return step
