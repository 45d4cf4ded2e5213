def clip_rows(gradients, C):
    flat = torch.cat([g.reshape(len(g), -1) for g in gradients.values()], dim=1)
    divisor = (flat.norm(dim=1) / C).clamp(min=1)
    return {name: vmap(torch.div)(g, divisor) for name, g in gradients.items()}
