# expect: less than 0.1 of what the slope promises
def downhill_step(loss, w, d):
    t = 1.0
    for _ in range(21):
        if loss(w + t * d) < loss(w):
            return w + t * d
        t = t / 2
    return w
