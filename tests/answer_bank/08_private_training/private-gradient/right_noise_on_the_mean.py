def private_gradient(gradients, C, sigma, expected_size, generator):
    squares = torch.stack([g.square().sum(dim=tuple(range(1, g.dim()))) for g in gradients.values()]).sum(dim=0)
    shrink = (squares.sqrt() / C).clamp(min=1)
    step = {}
    for name in sorted(gradients):
        mean = torch.einsum("b...,b->...", gradients[name], 1 / shrink) / expected_size
        draw = torch.normal(0.0, sigma * C / expected_size, mean.shape, generator=generator, dtype=mean.dtype)
        step[name] = mean + draw
    return step
