# expect: This is the first derivative, whatever n is
def nth_derivative(f, n):
    result = f
    for _ in range(n):
        result = grad(f)
    return result
