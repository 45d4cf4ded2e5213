# expect: f got a tensor of shape (6,), and x has shape (2, 3)
def is_gradient(f, claimed, x):
    x = x.double().flatten()
    slopes = torch.stack([(f(x + 1e-5 * e) - f(x - 1e-5 * e)) / 2e-5 for e in torch.eye(len(x), dtype=x.dtype)])
    return torch.allclose(claimed(x), slopes, rtol=1e-4)
