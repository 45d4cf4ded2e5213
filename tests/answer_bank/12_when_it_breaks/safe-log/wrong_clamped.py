# expect: close to 0
def safe_log(x):
    return torch.where(x > 0, torch.log(x.clamp(min=1e-8)), 0)
