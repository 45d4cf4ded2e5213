def gradient_is_right(f, x):
    g, h = grad(f)(x), 1e-5
    for i in range(len(x)):
        ahead, behind = x.clone(), x.clone()
        ahead[i] += h
        behind[i] -= h
        quotient = (f(ahead) - f(behind)) / (2 * h)
        if not abs(g[i] - quotient) <= 1e-4 * (1 + abs(quotient)):
            return False
    return True
