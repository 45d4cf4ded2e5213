# expect: This is the absolute value
def steepest_curvature(f, x, start, steps):
    v = start / start.norm()
    for _ in range(steps):
        v = jvp(grad(f), (x,), (v,))[1]
        length = v.norm()
        v = v / length
    return length
