# expect: 0.1 was added as it is
def downhill_newton(f, x, steps):
    for _ in range(steps):
        H = jacfwd(grad(f))(x) + 0.1 * torch.eye(len(x), dtype=x.dtype)
        x = x - torch.linalg.solve(H, grad(f)(x))
    return x
