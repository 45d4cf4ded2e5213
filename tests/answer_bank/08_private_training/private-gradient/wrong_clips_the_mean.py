# expect: The mean was clipped
def private_gradient(gradients, C, sigma, expected_size, generator):
    mean = {name: g.mean(dim=0) for name, g in gradients.items()}
    norm = torch.stack([g.norm() for g in mean.values()]).norm()
    factor = (C / norm).clamp(max=1)
    size = len(next(iter(gradients.values())))
    return {
        name: (size * factor * g + sigma * C * torch.randn(g.shape, generator=generator, dtype=g.dtype)) / expected_size
        for name, g in mean.items()
    }
