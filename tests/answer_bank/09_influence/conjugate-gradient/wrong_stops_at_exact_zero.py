# expect: Stop when r · r is below 1e-20
def conjugate_gradient(product, b, steps):
    s, r, p = torch.zeros_like(b), b, b
    for _ in range(steps):
        if r @ r == 0:
            break
        Ap = product(p)
        alpha = r @ r / (p @ Ap)
        s = s + alpha * p
        r_new = r - alpha * Ap
        p = r_new + (r_new @ r_new) / (r @ r) * p
        r = r_new
    return s
