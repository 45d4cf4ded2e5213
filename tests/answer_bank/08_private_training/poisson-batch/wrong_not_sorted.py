# expect: not in ascending order
def poisson_batch(n, q, generator):
    came = torch.nonzero(torch.rand(n, generator=generator) < q).flatten()
    return came[torch.randperm(len(came), generator=generator)]
