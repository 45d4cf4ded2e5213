# expect: vmap walks along the distances
def loss_along(loss, w, direction, distances):
    d = direction / direction.norm()
    return torch.stack([loss(w + t * d) for t in distances])
