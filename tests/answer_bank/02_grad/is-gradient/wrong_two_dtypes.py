# expect: with x in float32, claimed is right raised
def is_gradient(f, claimed, x):
    x64 = x.double()
    units = [unit.reshape(x.shape) for unit in torch.eye(x.numel(), dtype=x64.dtype)]
    slopes = torch.stack([(f(x64 + 1e-5 * unit) - f(x64 - 1e-5 * unit)) / 2e-5 for unit in units]).reshape(x.shape)
    return torch.allclose(claimed(x), slopes, rtol=1e-4)
