# expect: It is zero: the meta-loss does not know
def meta_loss(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        for _ in range(steps):
            g = grad(loss)(params, xs, ys)
            params = {k: (params[k] - rate * g[k]).detach() for k in params}
        return loss(params, xq, yq)

    return vmap(one, in_dims=(None, 0, 0, 0, 0))(params, *tasks).mean()
