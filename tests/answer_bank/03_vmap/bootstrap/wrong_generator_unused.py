# expect: the same generator state gave other results
def bootstrap(statistic, x, T, generator):
    positions = torch.randint(len(x), (T, len(x)))
    return vmap(statistic)(x[positions])
