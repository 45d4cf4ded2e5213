# expect: vmap(safe_log)(x)
def safe_log(x):
    return torch.where(x > 0, torch.log(x.abs() + 1e-3), 0.0)
