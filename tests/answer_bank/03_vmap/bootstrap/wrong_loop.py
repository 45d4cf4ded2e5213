# expect: Map it over the resamples
def bootstrap(statistic, x, T, generator):
    results = []
    for _ in range(T):
        results.append(statistic(x[torch.randint(len(x), (len(x),), generator=generator)]))
    return torch.stack(results)
