# expect: expected (1,)
def poisson_batch(n, q, generator):
    return torch.nonzero(torch.rand(n, generator=generator) < q).squeeze()
