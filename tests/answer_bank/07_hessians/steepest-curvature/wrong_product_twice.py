# expect: eigenvalue of H H
def steepest_curvature(f, x, start, steps):
    product = lambda v: jvp(grad(f), (x,), (v,))[1]
    v = start / start.norm()
    for _ in range(steps):
        v = product(v)
        v = v / v.norm()
    return v @ product(product(v))
