# expect: The losses of the tasks were added
def meta_loss(loss, params, tasks, rate, steps):
    def one(xs, ys, xq, yq):
        current = params
        for _ in range(steps):
            g = grad(loss)(current, xs, ys)
            current = {k: current[k] - rate * g[k] for k in current}
        return loss(current, xq, yq)

    return vmap(one)(*tasks).sum()
