def bootstrap(statistic, x, T, generator):
    N = x.shape[0]
    resamples = torch.stack([x[torch.randint(0, N, (N,), generator=generator)] for _ in range(T)])
    return vmap(statistic)(resamples)
