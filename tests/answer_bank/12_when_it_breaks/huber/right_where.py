def huber(x):
    size = x.abs()
    return torch.where(size > 1, size - 0.5, x * x / 2)
