def gradient_is_right(f, x):
    h = 1e-6
    quotients = torch.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in torch.eye(len(x), dtype=x.dtype)])
    return torch.allclose(grad(f)(x), quotients, rtol=1e-4, atol=1e-4)
