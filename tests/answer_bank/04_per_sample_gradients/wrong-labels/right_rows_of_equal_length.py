def wrong_labels(loss, params, X, labels, count):
    X = X / X.norm(dim=1, keepdim=True)
    for _ in range(60):
        gradient = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, labels)
        params = {k: params[k] - 0.5 * gradient[k].mean(dim=0) for k in params}
    table = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, labels)
    squares = sum((part**2).flatten(1).sum(dim=1) for part in table.values())
    return torch.sort(squares.topk(count).indices)[0]
