# expect: downhill_newton(f, x, 2)
def downhill_newton(f, x, steps):
    H = jacfwd(grad(f))(x)
    damping = (0.1 - torch.linalg.eigvalsh(H)[0]).clamp(min=0)
    for _ in range(steps):
        x = x - torch.linalg.solve(H + damping * torch.eye(len(x), dtype=x.dtype), grad(f)(x))
    return x
