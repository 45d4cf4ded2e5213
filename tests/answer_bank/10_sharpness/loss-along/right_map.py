def loss_along(loss, w, direction, distances):
    d = torch.nn.functional.normalize(direction, dim=0)
    return vmap(lambda t: loss(w + t * d))(distances)
