# expect: nth_derivative(f, 2)(x) for f = x⁵: the value is wrong
def nth_derivative(f, n):
    def d(x):
        for _ in range(n):
            x = grad(f)(x)
        return x

    return d
