def poisson_batch(n, q, generator):
    return torch.bernoulli(torch.full((n,), q), generator=generator).nonzero().squeeze(1)
