# expect: This is steepest descent
def conjugate_gradient(product, b, steps):
    s, r = torch.zeros_like(b), b
    for _ in range(steps):
        if r @ r < 1e-20:
            break
        Ar = product(r)
        alpha = r @ r / (r @ Ar)
        s, r = s + alpha * r, r - alpha * Ar
    return s
