# expect: return a tensor of shape (2000,)
def bootstrap(statistic, x, T, generator):
    positions = torch.randint(len(x), (T, len(x)), generator=generator)
    return vmap(statistic)(x[positions]).mean()
