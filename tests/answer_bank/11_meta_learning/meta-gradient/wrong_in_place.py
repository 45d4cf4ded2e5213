# expect: meta_gradient(loss, params, tasks, 0.1, 2)
def meta_gradient(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        params = {k: v.clone() for k, v in params.items()}
        for _ in range(steps):
            g = grad(loss)(params, xs, ys)
            for k in params:
                params[k].sub_(rate * g[k])
        return loss(params, xq, yq)

    return grad_and_value(lambda p: vmap(one, in_dims=(None, 0, 0, 0, 0))(p, *tasks).mean())(params)
