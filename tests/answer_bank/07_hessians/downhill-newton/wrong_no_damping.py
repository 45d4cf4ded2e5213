# expect: Newton's step without damping
def downhill_newton(f, x, steps):
    for _ in range(steps):
        x = x - torch.linalg.solve(jacfwd(grad(f))(x), grad(f)(x))
    return x
