# expect: it was added to that of the identity
def straight_through_gradient(loss, hard, w):
    return grad(lambda w: loss(hard(w) + w - w.detach(), w))(w)
