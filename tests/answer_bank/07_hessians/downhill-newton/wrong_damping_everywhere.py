# expect: λ was added to every entry of H
def downhill_newton(f, x, steps):
    for _ in range(steps):
        H = jacfwd(grad(f))(x)
        damping = (0.1 - torch.linalg.eigvalsh(H)[0]).clamp(min=0)
        x = x - torch.linalg.solve(H + damping, grad(f)(x))
    return x
