def nth_derivative(f, n):
    return f if n == 0 else nth_derivative(grad(f), n - 1)
