# expect: with hard = sign
def straight_through_gradient(loss, hard, w):
    return grad(lambda w: loss(w + (w.round() - w).detach(), w))(w)
