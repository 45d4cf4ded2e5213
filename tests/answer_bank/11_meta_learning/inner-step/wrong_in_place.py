# expect: its argument params
def inner_step(loss, params, x, y, rate):
    g = grad(loss)(params, x, y)
    for k in params:
        params[k] -= rate * g[k]
    return params
