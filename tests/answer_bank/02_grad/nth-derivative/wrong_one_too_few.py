# expect: This is derivative number 0. Count how often
def nth_derivative(f, n):
    for _ in range(1, n):
        f = grad(f)
    return f
