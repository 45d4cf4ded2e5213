# expect: 'Tensor' object is not callable
def tangent(f, a):
    value = f(a)
    slope = grad(value)(a)
    return lambda x: value + slope * (x - a)
