def safe_log(x):
    return torch.log(torch.where(x > 0, x, 1))
