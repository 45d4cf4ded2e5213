# expect: This is log |x|
def safe_log(x):
    size = torch.where(x == 0, 1, x.abs())
    return torch.log(size)
