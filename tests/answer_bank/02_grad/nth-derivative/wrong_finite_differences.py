# expect: the value is wrong
def nth_derivative(f, n):
    def diff(g):
        return lambda x: (g(x + 1e-3) - g(x - 1e-3)) / 2e-3

    for _ in range(n):
        f = diff(f)
    return f
