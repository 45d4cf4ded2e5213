# expect: twelve draws had the same size
def poisson_batch(n, q, generator):
    return torch.randperm(n, generator=generator)[: int(n * q)].sort().values
