def row_norms(gradients):
    def norm_of(row):
        return torch.cat([g.flatten() for g in row.values()]).norm()

    return vmap(norm_of)(gradients)
