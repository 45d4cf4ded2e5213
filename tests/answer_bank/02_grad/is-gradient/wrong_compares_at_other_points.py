# expect: compare at x itself
def is_gradient(f, claimed, x):
    x = torch.linspace(0.5, 2, x.numel(), dtype=torch.float64).reshape(x.shape)
    h = 1e-5
    E = torch.eye(x.numel(), dtype=x.dtype).reshape(-1, *x.shape)
    slopes = torch.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in E]).reshape(x.shape)
    return torch.allclose(claimed(x), slopes, rtol=1e-4)
