# expect: missing 1 required positional argument
def tangent(f, a):
    slope, value = grad_and_value(f)(a)

    def line(x):
        return value + slope * (x - a)

    return line()
