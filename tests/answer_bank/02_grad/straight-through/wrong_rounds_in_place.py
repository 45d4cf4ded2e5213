# expect: changed its argument w
def straight_through_gradient(loss, hard, w):
    real = w.clone()
    w.copy_(hard(w))
    through_q, directly = grad(loss, argnums=(0, 1))(w, real)
    return through_q + directly
