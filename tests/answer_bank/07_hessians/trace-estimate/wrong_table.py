# expect: a tensor as large as the whole table
def trace_estimate(f, x, signs):
    H = jacfwd(grad(f))(x)
    return ((signs @ H) * signs).sum(dim=1).mean()
