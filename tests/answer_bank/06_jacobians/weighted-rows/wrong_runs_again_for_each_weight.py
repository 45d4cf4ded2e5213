# expect: Call vjp once, or map over it
def weighted_rows(f, x, U):
    return torch.stack([vjp(f, x)[1](u)[0] for u in U])
