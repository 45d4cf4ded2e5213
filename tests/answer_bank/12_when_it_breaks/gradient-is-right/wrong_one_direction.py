# expect: gradient_is_right(f, x) for
def gradient_is_right(f, x):
    h, e = 1e-6, torch.ones_like(x)
    quotient = (f(x + h * e) - f(x - h * e)) / (2 * h)
    return bool((grad(f)(x).sum() - quotient).abs() <= 1e-4 * (1 + quotient.abs()))
