# expect: Does each one get draws of its own
def bootstrap(statistic, x, T, generator):
    positions = torch.randint(len(x), (len(x),), generator=generator)
    return vmap(lambda _: statistic(x[positions]))(torch.zeros(T))
