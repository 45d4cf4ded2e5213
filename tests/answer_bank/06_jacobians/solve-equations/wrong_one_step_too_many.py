# expect: One step too many
def solve_equations(f, x, steps):
    for _ in range(steps + 1):
        y, pull = vjp(f, x)
        (J,) = vmap(pull)(torch.eye(len(y), dtype=y.dtype))
        x = x - torch.linalg.solve(J, y)
    return x.detach()
