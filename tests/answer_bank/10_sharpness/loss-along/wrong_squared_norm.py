# expect: by the square of its norm
def loss_along(loss, w, direction, distances):
    d = direction / (direction @ direction)
    return vmap(lambda t: loss(w + t * d))(distances)
