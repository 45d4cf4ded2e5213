# expect: conjugate_gradient(product, b, 3)
def conjugate_gradient(product, b, steps):
    s, r, p = torch.zeros_like(b), b, b
    for _ in range(steps):
        if r @ r < 1e-20:
            break
        Ap = product(p)
        alpha = r @ r / (p @ Ap)
        s = s + alpha * p
        r = r - alpha * Ap
        p = r + (r @ r) / (r @ r) * p
    return s
