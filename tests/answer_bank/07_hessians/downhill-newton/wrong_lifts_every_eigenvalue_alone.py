# expect: Every eigenvalue was lifted on its own
def downhill_newton(f, x, steps):
    for _ in range(steps):
        values, vectors = torch.linalg.eigh(jacfwd(grad(f))(x))
        x = x - vectors @ ((vectors.T @ grad(f)(x)) / values.clamp(min=0.1))
    return x
