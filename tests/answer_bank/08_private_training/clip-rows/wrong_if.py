# expect: clip_rows(gradients, 1.5)
def clip_rows(gradients, C):
    def clip(row):
        norm = torch.stack([g.norm() for g in row.values()]).norm()
        if norm > C:
            return {name: C / norm * g for name, g in row.items()}
        return row

    return vmap(clip)(gradients)
