# expect: One gradient is enough
def inner_step(loss, params, x, y, rate):
    new = {}
    for k in params:
        new[k] = params[k] - rate * grad(lambda v: loss({**params, k: v}, x, y))(params[k])
    return new
