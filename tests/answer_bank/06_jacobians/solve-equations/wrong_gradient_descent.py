# expect: solve_equations(f, x, 1)
def solve_equations(f, x, steps):
    for _ in range(steps):
        y, pull = vjp(f, x)
        x = x - 0.1 * pull(y)[0]
    return x.detach()
