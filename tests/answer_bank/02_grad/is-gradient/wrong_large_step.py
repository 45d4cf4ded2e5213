# expect: look at the step and at the tolerance
def is_gradient(f, claimed, x):
    x = x.double()
    units = [unit.reshape(x.shape) for unit in torch.eye(x.numel(), dtype=x.dtype)]
    h = 0.1
    slopes = torch.stack([(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in units]).reshape(x.shape)
    return torch.allclose(claimed(x), slopes, rtol=1e-4)
