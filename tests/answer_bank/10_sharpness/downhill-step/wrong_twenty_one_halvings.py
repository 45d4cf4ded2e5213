# expect: This is one halving more
def downhill_step(loss, w, d):
    value, slope = jvp(loss, (w,), (d,))
    t = 1.0
    for _ in range(22):
        if loss(w + t * d) <= value + 0.1 * t * slope:
            return w + t * d
        t = t / 2
    return w
