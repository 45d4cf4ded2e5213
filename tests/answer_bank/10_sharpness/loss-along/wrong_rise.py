# expect: This is the rise above the loss
def loss_along(loss, w, direction, distances):
    d = direction / direction.norm()
    return vmap(lambda t: loss(w + t * d) - loss(w))(distances)
