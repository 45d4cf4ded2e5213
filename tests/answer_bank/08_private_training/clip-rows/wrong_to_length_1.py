# expect: scaled to norm 1
def clip_rows(gradients, C):
    norms = sum(g.flatten(1).square().sum(dim=1) for g in gradients.values()).sqrt()
    factors = torch.where(norms > C, 1 / norms, torch.ones_like(norms))
    return {name: torch.einsum("b,b...->b...", factors, g) for name, g in gradients.items()}
