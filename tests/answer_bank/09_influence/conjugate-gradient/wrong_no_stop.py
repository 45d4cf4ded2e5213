# expect: For b = 0 it divided 0 by 0
def conjugate_gradient(product, b, steps):
    s, r, p = torch.zeros_like(b), b, b
    for _ in range(steps):
        Ap = product(p)
        alpha = r @ r / (p @ Ap)
        s = s + alpha * p
        r_new = r - alpha * Ap
        p = r_new + (r_new @ r_new) / (r @ r) * p
        r = r_new
    return s
