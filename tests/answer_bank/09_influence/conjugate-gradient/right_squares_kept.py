def conjugate_gradient(product, b, steps):
    s = torch.zeros_like(b)
    r, p, square = b.clone(), b.clone(), b @ b
    for _ in range(steps):
        if square < 1e-20:
            return s
        Ap = product(p)
        alpha = square / (p @ Ap)
        s, r = s + alpha * p, r - alpha * Ap
        new = r @ r
        p, square = r + new / square * p, new
    return s
