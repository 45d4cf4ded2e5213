def bootstrap(statistic, x, T, generator):
    N = len(x)
    positions = (torch.rand(T, N, generator=generator) * N).long()
    return vmap(statistic, in_dims=0)(x[positions])
