# expect: Convert it first
def is_gradient(f, claimed, x):
    h = 1e-5
    units = [unit.reshape(x.shape) for unit in torch.eye(x.numel(), dtype=x.dtype)]
    slopes = torch.stack([(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in units]).reshape(x.shape)
    return torch.allclose(claimed(x), slopes, rtol=1e-4)
