# expect: Nothing here was recorded
def nth_derivative(f, n):
    def derivative(x):
        leaf = x.clone().requires_grad_(True)
        value = f(leaf)
        for _ in range(n):
            (value,) = torch.autograd.grad(value, leaf)
        return value

    return derivative
