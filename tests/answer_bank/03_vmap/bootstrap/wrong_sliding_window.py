# expect: a resample depends on the one before it
def bootstrap(statistic, x, T, generator):
    N = len(x)
    stream = torch.randint(N, (T + N,), generator=generator)
    return vmap(statistic)(x[stream.unfold(0, N, 1)[:T]])
