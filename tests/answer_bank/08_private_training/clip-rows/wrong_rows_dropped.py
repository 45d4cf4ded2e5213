# expect: Rows above C were dropped
def clip_rows(gradients, C):
    norms = sum(g.flatten(1).square().sum(dim=1) for g in gradients.values()).sqrt()
    keep = (norms <= C).double()
    return {name: torch.einsum("b,b...->b...", keep, g) for name, g in gradients.items()}
