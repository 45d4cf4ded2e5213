# expect: gradient_is_right(f, x) for
def gradient_is_right(f, x):
    x, h = x.float(), 1e-6
    quotients = torch.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in torch.eye(len(x))])
    return torch.allclose(grad(f)(x), quotients, rtol=1e-4, atol=1e-4)
