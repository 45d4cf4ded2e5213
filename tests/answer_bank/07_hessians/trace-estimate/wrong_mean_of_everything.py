# expect: divided by the number of inputs
def trace_estimate(f, x, signs):
    return vmap(lambda v: v * jvp(grad(f), (x,), (v,))[1])(signs).mean()
