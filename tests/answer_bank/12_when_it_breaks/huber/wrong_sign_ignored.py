# expect: Negative numbers went to the wrong case
def huber(x):
    return torch.where(x <= 1, 0.5 * x**2, x.abs() - 0.5)
