def clip_rows(gradients, C):
    norms = sum(g.reshape(len(g), -1).square().sum(dim=1) for g in gradients.values()).sqrt()
    factors = torch.clamp(C / norms, max=1.0)
    return {k: factors.reshape(-1, *[1] * (g.dim() - 1)) * g for k, g in gradients.items()}
