# expect: not from a copy of it
def poisson_batch(n, q, generator):
    own = torch.Generator().manual_seed(generator.initial_seed())
    return torch.nonzero(torch.rand(n, generator=own) < q).flatten()
