def is_gradient(f, claimed, x):
    x = x.to(torch.float64)
    g = claimed(x)
    for i in range(x.numel()):
        e = torch.zeros(x.numel(), dtype=x.dtype)
        e[i] = 1e-7
        s = (f(x + e.reshape(x.shape)) - f(x)) / 1e-7
        if not torch.isclose(g.flatten()[i], s, rtol=1e-3, atol=0):
            return False
    return True
