# expect: move one element of x at a time
def is_gradient(f, claimed, x):
    x = x.double()
    slope = (f(x + 1e-5) - f(x - 1e-5)) / 2e-5
    return torch.allclose(claimed(x).sum(), slope, rtol=1e-5)
