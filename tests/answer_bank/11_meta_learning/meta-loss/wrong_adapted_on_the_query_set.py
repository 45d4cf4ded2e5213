# expect: It was adapted on the query set
def meta_loss(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        for _ in range(steps):
            g = grad(loss)(params, xq, yq)
            params = {k: params[k] - rate * g[k] for k in params}
        return loss(params, xq, yq)

    return vmap(one, in_dims=(None, 0, 0, 0, 0))(params, *tasks).mean()
