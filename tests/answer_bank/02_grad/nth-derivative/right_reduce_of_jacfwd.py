from functools import reduce


def nth_derivative(f, n):
    return reduce(lambda g, _: torch.func.jacfwd(g), range(n), f)
