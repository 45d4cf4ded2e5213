def adapt(loss, params, x, y, rate, steps):
    if steps == 0:
        return params
    g = grad(loss)(params, x, y)
    return adapt(loss, {k: params[k] - rate * g[k] for k in params}, x, y, rate, steps - 1)
