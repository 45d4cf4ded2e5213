# expect: Make the division safe, not its result
def mean_of_positive(row):
    weights = (row > 0).to(row.dtype)
    mean = (weights * row).sum() / weights.sum()
    return torch.where(weights.sum() > 0, mean, 0)
