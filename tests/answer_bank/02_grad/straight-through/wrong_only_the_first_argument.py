# expect: The loss sees w directly as well
def straight_through_gradient(loss, hard, w):
    return grad(loss)(hard(w), w)
