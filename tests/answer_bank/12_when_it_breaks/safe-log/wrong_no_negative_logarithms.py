# expect: Between 0 and 1 the logarithm is negative
def safe_log(x):
    return torch.log(x.clamp(min=1))
