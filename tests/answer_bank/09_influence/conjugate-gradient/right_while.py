def conjugate_gradient(product, b, steps):
    s, r, p, done = 0 * b, b, b, 0
    while done < steps and (r**2).sum().item() >= 1e-20:
        Ap = product(p)
        alpha = (r * r).sum() / (p * Ap).sum()
        s = s + alpha * p
        before = (r * r).sum()
        r = r - alpha * Ap
        p = r + (r * r).sum() / before * p
        done += 1
    return s
