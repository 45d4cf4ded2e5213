# expect: At 0 the gradient is nan
def safe_log(x):
    return torch.where(x > 0, torch.log(x), 0.0)
