# expect: vmap(mean_of_positive)(X)
def mean_of_positive(row):
    positive = row[row > 0]
    return positive.mean() if len(positive) else torch.tensor(0.0)
