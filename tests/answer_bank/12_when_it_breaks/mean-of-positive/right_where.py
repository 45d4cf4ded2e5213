def mean_of_positive(row):
    mask = row > 0
    return torch.where(mask, row, torch.zeros_like(row)).sum() / torch.clamp(mask.sum(), min=1)
