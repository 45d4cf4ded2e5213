# expect: meta_loss(loss, params, tasks, 0.2, 2)
def meta_loss(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        for _ in range(steps):
            g = grad(loss)(params, xs, ys)
            params = {k: params[k] - rate * g[k] for k in params}
        return loss(params, xq, yq)

    return vmap(one)(params, *tasks).mean()
