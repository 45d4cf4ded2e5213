# expect: this is first-order MAML
def meta_gradient(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        for _ in range(steps):
            g = grad(loss)(params, xs, ys)
            params = {k: params[k] - rate * g[k].detach() for k in params}
        return loss(params, xq, yq)

    return grad_and_value(lambda p: vmap(one, in_dims=(None, 0, 0, 0, 0))(p, *tasks).mean())(params)
