def steepest_curvature(f, x, start, steps):
    v = start / start.norm()
    for _ in range(steps):
        Hv = jvp(grad(f), (x,), (v,))[1]
        v = Hv / Hv.norm()
    return v @ jvp(grad(f), (x,), (v,))[1]
