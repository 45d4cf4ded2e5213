# expect: Is every entry compared
def gradient_is_right(f, x):
    h, e = 1e-6, torch.eye(len(x), dtype=x.dtype)[0]
    quotient = (f(x + h * e) - f(x - h * e)) / (2 * h)
    return bool((grad(f)(x)[0] - quotient).abs() <= 1e-4 * (1 + quotient.abs()))
