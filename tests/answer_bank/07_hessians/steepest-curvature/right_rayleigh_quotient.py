def steepest_curvature(f, x, start, steps):
    product = lambda v: grad(lambda x: grad(f)(x) @ v)(x)
    v = start
    for _ in range(steps):
        v = product(v)
        v = v / v.abs().max()
    return (v @ product(v)) / (v @ v)
