# expect: without scaling the numbers overflow
def steepest_curvature(f, x, start, steps):
    v = start
    for _ in range(steps):
        v = jvp(grad(f), (x,), (v,))[1]
    v = v / v.norm()
    return v @ jvp(grad(f), (x,), (v,))[1]
