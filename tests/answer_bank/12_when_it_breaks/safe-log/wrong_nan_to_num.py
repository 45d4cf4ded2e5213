# expect: vmap(grad(safe_log))(x)
def safe_log(x):
    return torch.nan_to_num(torch.log(x), nan=0.0, neginf=0.0)
