# expect: the global random numbers of torch were used or reseeded
def bootstrap(statistic, x, T, generator):
    torch.manual_seed(generator.initial_seed())
    positions = torch.randint(len(x), (T, len(x)))
    return vmap(statistic)(x[positions])
