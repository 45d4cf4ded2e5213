# expect: changed its argument params
def wrong_labels(loss, params, X, labels, count):
    for _ in range(40):
        gradient = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, labels)
        for name in params:
            params[name] -= 0.25 * gradient[name].mean(dim=0)
    lengths = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, labels)["b"].norm(dim=1)
    return lengths.topk(count).indices.sort().values
