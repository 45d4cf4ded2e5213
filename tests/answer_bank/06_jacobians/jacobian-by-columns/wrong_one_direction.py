# expect: These are the sums of the rows
def jacobian_by_columns(f, x):
    return jvp(f, (x,), (torch.ones_like(x),))[1]
