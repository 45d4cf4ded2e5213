# expect: One element is wrong, and it passed
def is_gradient(f, claimed, x):
    x = x.double()
    move = torch.zeros_like(x)
    move.view(-1)[0] = 1e-5
    slope = (f(x + move) - f(x - move)) / 2e-5
    return torch.allclose(claimed(x).flatten()[0], slope, rtol=1e-4)
