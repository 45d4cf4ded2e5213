# expect: derivative of adapt(loss, params, x, y, 0.1, 3)
def adapt(loss, params, x, y, rate, steps):
    params = {k: v.clone() for k, v in params.items()}
    for _ in range(steps):
        g = grad(loss)(params, x, y)
        for k in params:
            params[k].data -= rate * g[k]
    return params
