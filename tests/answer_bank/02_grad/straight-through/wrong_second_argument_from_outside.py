# expect: The loss sees w directly as well
def straight_through_gradient(loss, hard, w):
    def inner(weights):
        q = weights + (hard(weights) - weights).detach()
        return loss(q, w)

    return grad(inner)(w)
