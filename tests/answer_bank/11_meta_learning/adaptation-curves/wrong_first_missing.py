# expect: before the first step is missing
def adaptation_curves(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        curve = []
        for _ in range(steps):
            g = grad(loss)(params, xs, ys)
            params = {k: params[k] - rate * g[k] for k in params}
            curve.append(loss(params, xq, yq))
        return torch.stack(curve)

    return vmap(one, in_dims=(None, 0, 0, 0, 0))(params, *tasks)
