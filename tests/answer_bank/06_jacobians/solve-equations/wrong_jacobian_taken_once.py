# expect: solve_equations(f, x, 2)
def solve_equations(f, x, steps):
    J = jacrev(f)(x)
    for _ in range(steps):
        x = x - torch.linalg.solve(J, f(x))
    return x
