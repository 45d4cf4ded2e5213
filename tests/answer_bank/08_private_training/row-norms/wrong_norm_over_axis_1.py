# expect: row_norms(gradients)
def row_norms(gradients):
    return torch.stack([g.norm(dim=1) for g in gradients.values()]).norm(dim=0)
