# expect: f with an if
def tangent(f, a):
    def line(x):
        return f(a.expand(x.shape)) + grad(f)(a) * (x - a)

    return line
