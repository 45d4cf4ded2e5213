# expect: downhill_newton(f, x,
def downhill_newton(f, x, steps):
    for _ in range(steps):
        H = jacfwd(grad(f))(x)
        smallest = torch.linalg.eigvalsh(H)[0]
        damping = 0.1 - smallest if smallest < 0 else 0.0
        x = x - torch.linalg.solve(H + damping * torch.eye(len(x), dtype=x.dtype), grad(f)(x))
    return x
