# expect: on average the resamples should have the mean of x
def bootstrap(statistic, x, T, generator):
    positions = torch.randint(len(x) - 1, (T, len(x)), generator=generator)
    return vmap(statistic)(x[positions])
