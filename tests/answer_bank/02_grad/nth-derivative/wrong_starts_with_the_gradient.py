# expect: This is derivative number 2. Count how often
def nth_derivative(f, n):
    result = grad(f)
    for _ in range(n):
        result = grad(result)
    return result
