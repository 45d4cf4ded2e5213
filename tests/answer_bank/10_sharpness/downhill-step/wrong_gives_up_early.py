# expect: w has not moved: t = 1/16
def downhill_step(loss, w, d):
    value, slope = jvp(loss, (w,), (d,))
    for t in (1.0, 0.5, 0.25):
        if loss(w + t * d) <= value + 0.1 * t * slope:
            return w + t * d
    return w
