def tangent(f, a):
    return lambda x: f(a) + grad(f)(a) * (x - a)
