def solve_equations(f, x, steps):
    for _ in range(steps):
        y, pull = vjp(f, x)
        (J,) = vmap(pull)(torch.eye(len(y), dtype=y.dtype))
        x = x - torch.linalg.inv(J) @ y
    return x.detach()
