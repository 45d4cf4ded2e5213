# expect: This is derivative number 2. Count how often
def nth_derivative(f, n):
    return grad(grad(f))
