def poisson_batch(n, q, generator):
    came = torch.rand(n, generator=generator) < q
    return torch.arange(n)[came]
