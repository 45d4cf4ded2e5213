# expect: with a right label. A gradient is the error times the row
def wrong_labels(loss, params, X, labels, count):
    for _ in range(40):
        gradient = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, labels)
        params = {k: params[k] - 0.25 * gradient[k].mean(dim=0) for k in params}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, labels)
    lengths = torch.stack([part.flatten(1).norm(dim=1) for part in table.values()]).norm(dim=0)
    return lengths.topk(count).indices.sort().values
