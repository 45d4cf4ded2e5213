# expect: An empty batch counts as any other
def poisson_batch(n, q, generator):
    came = torch.rand(n, generator=generator) < q
    while q > 0 and not came.any():
        came = torch.rand(n, generator=generator) < q
    return torch.nonzero(came).flatten()
