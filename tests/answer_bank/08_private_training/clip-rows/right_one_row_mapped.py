def clip_rows(gradients, C):
    def clip(row):
        norm = torch.stack([g.norm() for g in row.values()]).norm()
        factor = (C / (norm + 1e-6)).clamp(max=1.0)
        return {name: factor * g for name, g in row.items()}

    return vmap(clip)(gradients)
