# expect: a tuple of length 2, expected a tensor
def straight_through_gradient(loss, hard, w):
    return grad(loss, argnums=(0, 1))(hard(w), w)
