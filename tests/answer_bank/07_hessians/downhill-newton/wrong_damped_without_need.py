# expect: Damping was added although
def downhill_newton(f, x, steps):
    for _ in range(steps):
        H = jacfwd(grad(f))(x)
        smallest = torch.linalg.eigvalsh(H)[0]
        damping = 0.1 - smallest if smallest < 0.1 else 0.1
        x = x - torch.linalg.solve(H + damping * torch.eye(len(x), dtype=x.dtype), grad(f)(x))
    return x
