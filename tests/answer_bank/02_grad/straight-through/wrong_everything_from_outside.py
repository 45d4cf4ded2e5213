# expect: all values are zero
def straight_through_gradient(loss, hard, w):
    q = hard(w)
    return grad(lambda weights: loss(q, w))(w)
