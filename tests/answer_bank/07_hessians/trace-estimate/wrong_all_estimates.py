# expect: Return their mean
def trace_estimate(f, x, signs):
    return vmap(lambda v: v @ jvp(grad(f), (x,), (v,))[1])(signs)
