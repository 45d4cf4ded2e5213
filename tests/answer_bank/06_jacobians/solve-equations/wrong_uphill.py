# expect: The step went the wrong way
def solve_equations(f, x, steps):
    for _ in range(steps):
        y, pull = vjp(f, x)
        (J,) = vmap(pull)(torch.eye(len(y), dtype=y.dtype))
        x = x + torch.linalg.solve(J, y)
    return x.detach()
