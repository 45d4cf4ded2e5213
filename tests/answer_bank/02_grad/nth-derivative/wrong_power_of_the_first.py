# expect: This is a power of the first derivative
def nth_derivative(f, n):
    return lambda x: grad(f)(x) ** n
