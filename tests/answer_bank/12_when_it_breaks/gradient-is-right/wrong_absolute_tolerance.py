# expect: the tolerance grows with them
def gradient_is_right(f, x):
    h = 1e-6
    quotients = torch.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in torch.eye(len(x), dtype=x.dtype)])
    return bool((grad(f)(x) - quotients).abs().max() < 1e-5)
