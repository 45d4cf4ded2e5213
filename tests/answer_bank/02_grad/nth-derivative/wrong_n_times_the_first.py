# expect: This is n times the first derivative
def nth_derivative(f, n):
    return lambda x: n * grad(f)(x)
