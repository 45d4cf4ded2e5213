# expect: vmap(huber)(x)
def huber(x):
    result = x.abs() - 0.5
    result[x.abs() <= 1] = 0.5 * x[x.abs() <= 1] ** 2
    return result
