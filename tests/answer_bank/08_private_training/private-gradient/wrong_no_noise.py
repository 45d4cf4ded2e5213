# expect: got no noise at all
def private_gradient(gradients, C, sigma, expected_size, generator):
    norms = sum(g.flatten(1).square().sum(dim=1) for g in gradients.values()).sqrt()
    factors = (C / norms).clamp(max=1)
    return {name: torch.einsum("b,b...->...", factors, g) / expected_size for name, g in gradients.items()}
