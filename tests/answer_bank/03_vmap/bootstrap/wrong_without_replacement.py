# expect: are they drawn with replacement
def bootstrap(statistic, x, T, generator):
    positions = torch.stack([torch.randperm(len(x), generator=generator) for _ in range(T)])
    return vmap(statistic)(x[positions])
