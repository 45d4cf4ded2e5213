# expect: whether its neighbour does
def poisson_batch(n, q, generator):
    size = int((torch.rand(n, generator=generator) < q).sum())
    first = int(torch.randint(0, n, (1,), generator=generator))
    return ((torch.arange(size) + first) % n).sort().values
