# expect: The count is too large by one
def mean_of_positive(row):
    return torch.relu(row).sum() / ((row > 0).sum() + 1)
