# expect: This is the whole step
def downhill_step(loss, w, d):
    return w + d
