# expect: These are the sums of the positive entries
def mean_of_positive(row):
    return torch.relu(row).sum()
