# expect: RecursionError
def nth_derivative(f, n):
    for _ in range(n):
        f = lambda x: grad(f)(x)
    return f
