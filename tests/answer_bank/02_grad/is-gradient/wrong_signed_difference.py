# expect: It is twice too large
def is_gradient(f, claimed, x):
    x = x.double()
    units = [unit.reshape(x.shape) for unit in torch.eye(x.numel(), dtype=x.dtype)]
    slopes = torch.stack([(f(x + 1e-5 * unit) - f(x - 1e-5 * unit)) / 2e-5 for unit in units]).reshape(x.shape)
    return bool((slopes - claimed(x)).max() < 1e-6)
