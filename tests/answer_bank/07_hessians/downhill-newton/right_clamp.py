def downhill_newton(f, x, steps):
    for _ in range(steps):
        g, H = grad(f)(x), torch.func.hessian(f)(x)
        lam = torch.clamp(0.1 - torch.linalg.eigvalsh(H).min(), min=0.0)
        x = x - torch.linalg.inv(H + lam * torch.eye(x.numel(), dtype=x.dtype)) @ g
    return x
