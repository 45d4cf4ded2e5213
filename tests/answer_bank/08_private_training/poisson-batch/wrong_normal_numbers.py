# expect: on average
def poisson_batch(n, q, generator):
    return torch.nonzero(torch.randn(n, generator=generator) < q).flatten()
