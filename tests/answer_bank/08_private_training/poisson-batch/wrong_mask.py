# expect: return the indices of the rows
def poisson_batch(n, q, generator):
    return torch.rand(n, generator=generator) < q
