# expect: passes through all the others
def adaptation_curves(loss, params, tasks, rate, steps):
    def one(params, xs, ys, xq, yq):
        curve = []
        for length in range(steps + 1):
            current = params
            for _ in range(length):
                g = grad(loss)(current, xs, ys)
                current = {k: current[k] - rate * g[k] for k in current}
            curve.append(loss(current, xq, yq))
        return torch.stack(curve)

    return vmap(one, in_dims=(None, 0, 0, 0, 0))(params, *tasks)
