# expect: dtype float64, expected float32
def nth_derivative(f, n):
    for _ in range(n):
        f = grad(f)
    return lambda x: f(x.double())
