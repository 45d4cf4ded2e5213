# expect: Zeros were counted
def mean_of_positive(row):
    return torch.relu(row).sum() / (row >= 0).sum().clamp(min=1)
