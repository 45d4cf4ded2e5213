# expect: All derivatives are zero
def adapt(loss, params, x, y, rate, steps):
    with torch.no_grad():
        for _ in range(steps):
            g = grad(loss)(params, x, y)
            params = {k: params[k] - rate * g[k] for k in params}
    return params
