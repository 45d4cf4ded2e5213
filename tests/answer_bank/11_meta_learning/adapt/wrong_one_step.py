# expect: One step only
def adapt(loss, params, x, y, rate, steps):
    g = grad(loss)(params, x, y)
    return {k: params[k] - rate * g[k] for k in params}
