# expect: Are the weights trained, is the loss falling
def wrong_labels(loss, params, X, labels, count):
    losses = vmap(loss, in_dims=(None, 0, 0))(params, X, labels)
    return losses.topk(count).indices.sort().values
