# expect: calling .item()
def adaptation_curves(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        curve = [loss(params, xq, yq).item()]
        for _ in range(steps):
            g = grad(loss)(params, xs, ys)
            params = {k: params[k] - rate * g[k] for k in params}
            curve.append(loss(params, xq, yq).item())
        return torch.tensor(curve)

    return vmap(one, in_dims=(None, 0, 0, 0, 0))(params, *tasks)
