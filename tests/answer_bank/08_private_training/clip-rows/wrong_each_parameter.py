# expect: clipped by its own norm
def clip_rows(gradients, C):
    clipped = {}
    for name, g in gradients.items():
        factors = (C / g.flatten(1).norm(dim=1)).clamp(max=1)
        clipped[name] = torch.einsum("b,b...->b...", factors, g)
    return clipped
