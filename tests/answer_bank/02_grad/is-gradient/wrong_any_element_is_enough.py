# expect: One element is wrong, and it passed
def is_gradient(f, claimed, x):
    x = x.double()
    units = [unit.reshape(x.shape) for unit in torch.eye(x.numel(), dtype=x.dtype)]
    slopes = torch.stack([(f(x + 1e-5 * unit) - f(x - 1e-5 * unit)) / 2e-5 for unit in units]).reshape(x.shape)
    return torch.isclose(claimed(x), slopes, rtol=1e-4).any().item()
