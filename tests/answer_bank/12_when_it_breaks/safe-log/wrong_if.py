# expect: data-dependent control flow
def safe_log(x):
    return torch.log(x) if x > 0 else torch.zeros_like(x)
