# expect: Is there an abs() too many?
def is_gradient(f, claimed, x):
    x = x.double()
    units = [unit.reshape(x.shape) for unit in torch.eye(x.numel(), dtype=x.dtype)]
    slopes = torch.stack([(f(x + 1e-5 * unit) - f(x - 1e-5 * unit)) / 2e-5 for unit in units]).reshape(x.shape)
    return torch.allclose(claimed(x).abs(), slopes.abs(), rtol=1e-4)
