# expect: solve_equations(f, x, 1)
def solve_equations(f, x, steps):
    for _ in range(steps):
        x = x - f(x) / jacrev(f)(x).sum(dim=1)
    return x
