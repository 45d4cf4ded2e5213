# expect: The slope is taken at x
def tangent(f, a):
    return lambda x: f(a) + grad(f)(x) * (x - a)
