def private_gradient(gradients, C, sigma, expected_size, generator):
    def clip(row):
        norm = torch.stack([g.norm() for g in row.values()]).norm()
        return {name: g * (C / (norm + 1e-6)).clamp(max=1) for name, g in row.items()}

    clipped = vmap(clip)(gradients)
    sums = {name: g.sum(dim=0) for name, g in clipped.items()}
    return {
        name: (total + torch.zeros_like(total).normal_(0, sigma * C, generator=generator)) / expected_size
        for name, total in sums.items()
    }
