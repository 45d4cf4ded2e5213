# expect: the second derivatives are lost
def adapt(loss, params, x, y, rate, steps):
    for _ in range(steps):
        with torch.no_grad():
            g = grad(loss)(params, x, y)
        params = {k: params[k] - rate * g[k] for k in params}
    return params
