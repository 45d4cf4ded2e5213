# expect: f = exp
def tangent(f, a):
    global slope, value, place
    slope, value = grad_and_value(f)(a)
    place = a

    def line(x):
        return value + slope * (x - place)

    return line
