# expect: this is no function
def tangent(f, a):
    slope, value = grad_and_value(f)(a)
    x = a + 1.0
    return value + slope * (x - a)
