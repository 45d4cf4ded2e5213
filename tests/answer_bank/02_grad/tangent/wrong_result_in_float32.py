# expect: dtype float32, expected float64
def tangent(f, a):
    a = a.float()
    slope, value = grad_and_value(f)(a)
    return lambda x: value + slope * (x.float() - a)
