# expect: is a multiple of 1/5
def bootstrap(statistic, x, T, generator):
    resamples = x + 2.45 * torch.randn(T, len(x), generator=generator)
    return vmap(statistic)(resamples)
