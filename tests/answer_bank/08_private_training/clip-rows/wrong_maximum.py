# expect: The short rows became longer
def clip_rows(gradients, C):
    norms = sum(g.flatten(1).square().sum(dim=1) for g in gradients.values()).sqrt()
    return {name: torch.einsum("b,b...->b...", (C / norms).clamp(min=1), g) for name, g in gradients.items()}
