# expect: Value and slope are exchanged
def tangent(f, a):
    value, slope = grad_and_value(f)(a)
    return lambda x: value + slope * (x - a)
