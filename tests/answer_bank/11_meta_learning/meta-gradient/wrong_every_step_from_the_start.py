# expect: Every inner step started from the first parameters
def meta_gradient(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        current = params
        for _ in range(steps):
            g = grad(loss)(params, xs, ys)
            current = {k: current[k] - rate * g[k] for k in current}
        return loss(current, xq, yq)

    return grad_and_value(lambda p: vmap(one, in_dims=(None, 0, 0, 0, 0))(p, *tasks).mean())(params)
