def downhill_step(loss, w, d):
    slope = grad(loss)(w) @ d
    for halvings in range(21):
        new = w + d / 2**halvings
        if loss(new) - loss(w) <= 0.1 * slope / 2**halvings:
            return new
    return w
