def mean_of_positive(row):
    weights = (row > 0).to(row.dtype)
    return (weights * row).sum() / torch.maximum(weights.sum(), torch.ones_like(weights.sum()))
