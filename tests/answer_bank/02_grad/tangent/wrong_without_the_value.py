# expect: The value at a is missing
def tangent(f, a):
    slope = grad(f)(a)
    return lambda x: slope * (x - a)
