# expect: The loss was computed with w in place of hard(w)
def straight_through_gradient(loss, hard, w):
    return grad(lambda w: loss(w, w))(w)
