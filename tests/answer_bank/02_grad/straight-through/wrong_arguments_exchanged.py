# expect: The two arguments of the loss are exchanged
def straight_through_gradient(loss, hard, w):
    def inner(w):
        q = w + (hard(w) - w).detach()
        return loss(w, q)

    return grad(inner)(w)
