# expect: steepest_curvature(f, x, start, 40)
def steepest_curvature(f, x, start, steps):
    v = start / (start.norm() + 1e-3)
    for _ in range(steps):
        v = jvp(grad(f), (x,), (v,))[1]
        v = v / (v.norm() + 1e-3)
    return v @ jvp(grad(f), (x,), (v,))[1]
