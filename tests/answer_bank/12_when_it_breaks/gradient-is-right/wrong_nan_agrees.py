# expect: nan agrees with nothing
def gradient_is_right(f, x):
    h = 1e-6
    quotients = torch.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in torch.eye(len(x), dtype=x.dtype)])
    far = (grad(f)(x) - quotients).abs() > 1e-4 * (1 + quotients.abs())
    return not far.any().item()
