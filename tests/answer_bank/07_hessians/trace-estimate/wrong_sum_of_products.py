# expect: Multiply them by v first
def trace_estimate(f, x, signs):
    return vmap(lambda v: jvp(grad(f), (x,), (v,))[1].sum())(signs).mean()
