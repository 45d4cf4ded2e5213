# expect: 300 is expected
def poisson_batch(n, q, generator):
    return torch.nonzero(torch.rand(n, generator=generator) > q).flatten()
