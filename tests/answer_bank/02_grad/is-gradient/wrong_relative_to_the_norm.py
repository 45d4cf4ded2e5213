# expect: The wrong element is small beside the others
def is_gradient(f, claimed, x):
    x = x.double()
    h = 1e-5
    E = torch.eye(x.numel(), dtype=x.dtype).reshape(-1, *x.shape)
    slopes = torch.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in E]).reshape(x.shape)
    got = claimed(x)
    return bool((got - slopes).norm() <= 1e-4 * slopes.norm())
