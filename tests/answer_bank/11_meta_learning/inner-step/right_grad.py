def inner_step(loss, params, x, y, rate):
    g = grad(loss)(params, x, y)
    return {k: v - rate * g[k] for k, v in params.items()}
