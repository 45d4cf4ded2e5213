def loss_along(loss, w, direction, distances):
    points = w + distances[:, None] * direction / direction.square().sum().sqrt()
    return vmap(loss)(points)
