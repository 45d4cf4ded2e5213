# expect: The second argument is the real w
def straight_through_gradient(loss, hard, w):
    q = hard(w)
    return grad(lambda q: loss(q, q))(q)
