# expect: vmap runs it for all tasks in one call
def meta_loss(loss, params, tasks, rate, steps):
    losses = []
    for xs, ys, xq, yq in zip(*tasks):
        current = params
        for _ in range(steps):
            g = grad(loss)(current, xs, ys)
            current = {k: current[k] - rate * g[k] for k in current}
        losses.append(loss(current, xq, yq))
    return torch.stack(losses).mean()
