# expect: vmap runs it once for all rows
def trace_estimate(f, x, signs):
    return torch.stack([v @ jvp(grad(f), (x,), (v,))[1] for v in signs]).mean()
