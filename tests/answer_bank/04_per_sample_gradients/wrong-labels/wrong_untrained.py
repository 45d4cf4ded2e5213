# expect: these are the longest rows
def wrong_labels(loss, params, X, labels, count):
    table = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, labels)
    lengths = torch.stack([part.flatten(1).norm(dim=1) for part in table.values()]).norm(dim=0)
    return lengths.topk(count).indices.sort().values
