# expect: f = exp
def tangent(f, a):
    return lambda x: f(a) + 3 * a**2 * (x - a)
