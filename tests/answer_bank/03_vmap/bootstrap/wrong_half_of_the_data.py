# expect: nearly all resamples give the same value
def bootstrap(statistic, x, T, generator):
    positions = torch.randint(len(x), (T, len(x) // 2), generator=generator)
    return vmap(statistic)(x[positions])
