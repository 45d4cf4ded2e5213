def wrong_labels(loss, params, X, labels, count):
    def losses(p):
        return vmap(loss, in_dims=(None, 0, 0))(p, X, labels)

    for _ in range(40):
        gradient = grad(lambda p: losses(p).mean())(params)
        params = {k: params[k] - 0.25 * gradient[k] for k in params}
    return torch.tensor(sorted(losses(params).topk(count).indices.tolist()))
