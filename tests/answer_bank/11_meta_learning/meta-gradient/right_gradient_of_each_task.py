def meta_gradient(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        for _ in range(steps):
            g = grad(loss)(params, xs, ys)
            params = {k: params[k] - rate * g[k] for k in params}
        return loss(params, xq, yq)

    gradients, values = vmap(grad_and_value(one), in_dims=(None, 0, 0, 0, 0))(params, *tasks)
    return {k: g.mean(dim=0) for k, g in gradients.items()}, values.mean()
