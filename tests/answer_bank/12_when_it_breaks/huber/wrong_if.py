# expect: data-dependent control flow
def huber(x):
    if x.abs() <= 1:
        return 0.5 * x**2
    return x.abs() - 0.5
