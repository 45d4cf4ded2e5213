# expect: gives 0 / 0
def mean_of_positive(row):
    return torch.relu(row).sum() / (row > 0).sum()
