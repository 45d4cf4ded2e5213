# expect: steepest_curvature(f, x, start, 40)
def steepest_curvature(f, x, start, steps):
    v = start / start.norm()
    for _ in range(steps):
        v = jvp(grad(f), (x,), (v,))[1]
    return v @ jvp(grad(f), (x,), (v,))[1]
