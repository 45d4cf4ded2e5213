# expect: its argument gradients
def clip_rows(gradients, C):
    norms = sum(g.reshape(len(g), -1).square().sum(dim=1) for g in gradients.values()).sqrt()
    factors = (C / norms).clamp(max=1)
    for g in gradients.values():
        g *= factors.reshape(-1, *[1] * (g.dim() - 1))
    return gradients
