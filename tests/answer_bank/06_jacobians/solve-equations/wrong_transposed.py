# expect: The step was made with the transpose of J
def solve_equations(f, x, steps):
    for _ in range(steps):
        y, pull = vjp(f, x)
        (J,) = vmap(pull)(torch.eye(len(y), dtype=y.dtype))
        x = x - torch.linalg.solve(J.T, y)
    return x.detach()
