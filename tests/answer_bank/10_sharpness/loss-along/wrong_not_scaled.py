# expect: The direction was not scaled
def loss_along(loss, w, direction, distances):
    return vmap(lambda t: loss(w + t * direction))(distances)
