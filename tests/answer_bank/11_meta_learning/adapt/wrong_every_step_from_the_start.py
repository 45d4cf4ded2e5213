# expect: Every step started from the first parameters
def adapt(loss, params, x, y, rate, steps):
    current = params
    for _ in range(steps):
        g = grad(loss)(params, x, y)
        current = {k: current[k] - rate * g[k] for k in current}
    return current
