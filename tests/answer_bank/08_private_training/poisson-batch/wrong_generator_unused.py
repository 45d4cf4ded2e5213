# expect: with the same seed again
def poisson_batch(n, q, generator):
    return torch.nonzero(torch.rand(n) < q).flatten()
