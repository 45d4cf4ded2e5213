# expect: This is the gradient
def inner_step(loss, params, x, y, rate):
    return grad(loss)(params, x, y)
