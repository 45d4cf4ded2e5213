def meta_gradient(loss, params, tasks, rate, steps):
    leaves = {k: v.clone().requires_grad_() for k, v in params.items()}

    def one(params, xs, ys, xq, yq):
        for _ in range(steps):
            g = grad(loss)(params, xs, ys)
            params = {k: params[k] - rate * g[k] for k in params}
        return loss(params, xq, yq)

    value = vmap(one, in_dims=(None, 0, 0, 0, 0))(leaves, *tasks).mean()
    value.backward()
    return {k: v.grad for k, v in leaves.items()}, value.detach()
