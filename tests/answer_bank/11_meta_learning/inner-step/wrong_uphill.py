# expect: The step goes uphill
def inner_step(loss, params, x, y, rate):
    g = grad(loss)(params, x, y)
    return {k: params[k] + rate * g[k] for k in params}
