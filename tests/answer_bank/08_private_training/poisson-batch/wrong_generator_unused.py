# expect: the same seed gave another batch
def poisson_batch(n, q, generator):
    return torch.nonzero(torch.rand(n) < q).flatten()
