def downhill_newton(f, x, steps):
    for _ in range(steps):
        values, vectors = torch.linalg.eigh(jacrev(grad(f))(x))
        if values[0] < 0.1:
            values = values + (0.1 - values[0])
        x = x - vectors @ ((vectors.T @ grad(f)(x)) / values)
    return x
