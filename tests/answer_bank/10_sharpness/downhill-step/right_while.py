def downhill_step(loss, w, d):
    value, slope = jvp(loss, (w,), (d,))
    t, halvings = 1.0, 0
    while loss(w + t * d) > value + 0.1 * t * slope:
        if halvings == 20:
            return w
        t, halvings = 0.5 * t, halvings + 1
    return w + t * d
