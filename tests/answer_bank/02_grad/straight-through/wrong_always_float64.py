# expect: dtype float64, expected float32
def straight_through_gradient(loss, hard, w):
    w = w.double()
    return grad(lambda w: loss(w + (hard(w) - w).detach(), w))(w)
