# expect: once for each step is enough
def conjugate_gradient(product, b, steps):
    s, r, p = torch.zeros_like(b), b, b
    for _ in range(steps):
        if r @ r < 1e-20:
            break
        alpha = r @ r / (p @ product(p))
        s = s + alpha * p
        r_new = r - alpha * product(p)
        p = r_new + (r_new @ r_new) / (r @ r) * p
        r = r_new
    return s
