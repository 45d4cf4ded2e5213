# expect: this is no function
def nth_derivative(f, n):
    x = torch.tensor(1.0)
    for _ in range(n):
        f = grad(f)
    return f(x)
