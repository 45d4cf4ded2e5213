def bootstrap(statistic, x, T, generator):
    weights = torch.ones(T, len(x))
    positions = torch.multinomial(weights, len(x), replacement=True, generator=generator)
    return vmap(lambda row: statistic(x[row]), chunk_size=500)(positions) if T < 100 else vmap(statistic)(x[positions])
