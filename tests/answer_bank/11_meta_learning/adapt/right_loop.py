def adapt(loss, params, x, y, rate, steps):
    current = dict(params)
    for _ in range(steps):
        gradients = grad(loss)(current, x, y)
        current = {k: current[k] - rate * gradients[k] for k in current}
    return current
