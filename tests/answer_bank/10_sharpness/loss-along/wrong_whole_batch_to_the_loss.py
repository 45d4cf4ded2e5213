# expect: loss_along(loss, w, direction, distances)
def loss_along(loss, w, direction, distances):
    d = direction / direction.norm()
    return loss(w + distances[:, None] * d)
