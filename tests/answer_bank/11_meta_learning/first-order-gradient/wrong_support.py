# expect: Judge on the query sets
def first_order_gradient(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        for _ in range(steps):
            g = grad(loss)(params, xs, ys)
            params = {k: params[k] - rate * g[k] for k in params}
        return grad(loss)(params, xs, ys)

    return {k: g.mean(0) for k, g in vmap(one, in_dims=(None, 0, 0, 0, 0))(params, *tasks).items()}
