# expect: The step was halved without need
def downhill_step(loss, w, d):
    value, slope = jvp(loss, (w,), (d,))
    t = 1.0
    for _ in range(21):
        t = t / 2
        if loss(w + t * d) <= value + 0.1 * t * slope:
            return w + t * d
    return w
