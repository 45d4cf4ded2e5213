# expect: All tasks were thrown together
def meta_loss(loss, params, tasks, rate, steps):
    xs, ys, xq, yq = (part.flatten(0, 1) for part in tasks)
    for _ in range(steps):
        g = grad(loss)(params, xs, ys)
        params = {k: params[k] - rate * g[k] for k in params}
    return loss(params, xq, yq)
