def straight_through_gradient(loss, hard, w):
    with torch.no_grad():
        shift = hard(w) - w
    return grad(lambda w: loss(w + shift, w))(w)
