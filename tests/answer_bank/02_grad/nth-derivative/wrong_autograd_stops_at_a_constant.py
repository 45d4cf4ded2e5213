# expect: nth_derivative(f, 2)(x) for f = 2x + 1
def nth_derivative(f, n):
    def derivative(x):
        leaf = x.clone().requires_grad_(True)
        value = f(leaf)
        for _ in range(n):
            (value,) = torch.autograd.grad(value, leaf, create_graph=True)
        return value.detach()

    return derivative
