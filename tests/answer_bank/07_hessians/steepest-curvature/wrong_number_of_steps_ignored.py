# expect: Is the number of steps ignored
def steepest_curvature(f, x, start, steps):
    v = start / start.norm()
    for _ in range(200):
        v = jvp(grad(f), (x,), (v,))[1]
        v = v / v.norm()
    return v @ jvp(grad(f), (x,), (v,))[1]
