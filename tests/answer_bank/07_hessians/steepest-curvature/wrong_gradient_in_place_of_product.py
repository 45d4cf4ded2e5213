# expect: steepest_curvature(f, x, start, 40)
def steepest_curvature(f, x, start, steps):
    v = start / start.norm()
    for _ in range(steps):
        v = grad(f)(v)
        v = v / v.norm()
    return v @ grad(f)(v)
