def mean_of_positive(row):
    count = (row > 0).to(row.dtype).sum()
    return torch.relu(row).sum() / torch.where(count > 0, count, 1)
