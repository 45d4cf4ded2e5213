# expect: All gradients are zero
def safe_log(x):
    return torch.where(x > 0, torch.log(torch.where(x > 0, x, 1)), 0).detach()
