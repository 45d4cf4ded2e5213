# expect: The slopes along the rows were squared
def trace_estimate(f, x, signs):
    return vmap(lambda v: jvp(f, (x,), (v,))[1] ** 2)(signs).mean()
