def first_order_gradient(loss, params, tasks, rate, steps):
    total = {k: torch.zeros_like(v) for k, v in params.items()}
    for xs, ys, xq, yq in zip(*tasks):
        current = params
        for _ in range(steps):
            g = grad(loss)(current, xs, ys)
            current = {k: current[k] - rate * g[k] for k in current}
        g = grad(loss)(current, xq, yq)
        total = {k: total[k] + g[k] / len(tasks[0]) for k in total}
    return total
