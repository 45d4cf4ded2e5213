# expect: the line goes through w
def loss_along(loss, w, direction, distances):
    return vmap(lambda t: loss(t * direction / direction.norm()))(distances)
