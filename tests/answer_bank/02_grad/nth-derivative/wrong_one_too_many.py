# expect: This is derivative number 2. Count how often
def nth_derivative(f, n):
    for _ in range(n + 1):
        f = grad(f)
    return f
