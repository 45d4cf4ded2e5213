# expect: Which distance does the line cover
def tangent(f, a):
    slope, value = grad_and_value(f)(a)
    return lambda x: value + slope * x
