def downhill_step(loss, w, d):
    value, slope = jvp(loss, (w,), (d,))
    t = 0.5 ** torch.arange(21, dtype=w.dtype)
    good = vmap(lambda t: loss(w + t * d))(t) <= value + 0.1 * t * slope
    return w + t[good.nonzero()[0, 0]] * d if good.any() else w
