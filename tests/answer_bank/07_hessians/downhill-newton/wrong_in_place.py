# expect: its argument x
def downhill_newton(f, x, steps):
    for _ in range(steps):
        H = jacfwd(grad(f))(x)
        damping = (0.1 - torch.linalg.eigvalsh(H)[0]).clamp(min=0)
        x -= torch.linalg.solve(H + damping * torch.eye(len(x), dtype=x.dtype), grad(f)(x))
    return x
