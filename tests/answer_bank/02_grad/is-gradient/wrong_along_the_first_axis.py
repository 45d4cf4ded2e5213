# expect: x has two axes here
def is_gradient(f, claimed, x):
    x = x.double()
    slopes = torch.zeros_like(x)
    for i in range(len(x) if x.ndim else 1):
        move = torch.zeros_like(x)
        move[i if x.ndim else ...] = 1e-5
        slopes[i if x.ndim else ...] = (f(x + move) - f(x - move)) / 2e-5
    return torch.allclose(claimed(x), slopes, rtol=1e-4)
