def safe_log(x):
    positive = x > 0
    inner = torch.where(positive, x, torch.ones_like(x))
    return torch.where(positive, inner.log(), torch.zeros_like(x))
