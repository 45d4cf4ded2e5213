# expect: The two cases are exchanged
def huber(x):
    return torch.where(x.abs() > 1, 0.5 * x**2, x.abs() - 0.5)
