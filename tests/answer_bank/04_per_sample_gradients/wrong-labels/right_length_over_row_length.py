def wrong_labels(loss, params, X, labels, count):
    mean_loss = lambda p: vmap(loss, in_dims=(None, 0, 0))(p, X, labels).mean()  # noqa: E731
    for _ in range(80):
        gradient = grad(mean_loss)(params)
        params = {k: params[k] - 0.25 * gradient[k] for k in params}

    def score(x_row, label):
        parts = grad(loss)(params, x_row, label).values()
        return torch.stack([part.norm() for part in parts]).norm() / x_row.norm()

    order = vmap(score)(X, labels).argsort(descending=True)
    return order[:count].sort().values
