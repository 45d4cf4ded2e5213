# expect: The distance has the wrong sign
def tangent(f, a):
    slope, value = grad_and_value(f)(a)
    return lambda x: value + slope * (a - x)
