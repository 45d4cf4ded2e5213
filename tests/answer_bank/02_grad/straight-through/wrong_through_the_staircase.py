# expect: Nothing came back through the rounding
def straight_through_gradient(loss, hard, w):
    return grad(lambda w: loss(hard(w), w))(w)
