# expect: vjp has to be called once
def weighted_rows(f, x, U):
    return torch.stack([vjp(f, x)[1](u)[0] for u in U])
