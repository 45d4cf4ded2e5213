# expect: The rate is missing
def inner_step(loss, params, x, y, rate):
    g = grad(loss)(params, x, y)
    return {k: params[k] - g[k] for k in params}
