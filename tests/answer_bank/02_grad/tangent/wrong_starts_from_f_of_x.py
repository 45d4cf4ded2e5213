# expect: The line starts from f(x)
def tangent(f, a):
    slope = grad(f)(a)

    def line(x):
        return f(x) + slope * (x - a)

    return line
