# expect: The 0-th derivative is f itself
def nth_derivative(f, n):
    if n == 1:
        return grad(f)
    if n > 1:
        return nth_derivative(grad(f), n - 1)
