# expect: some row came twice
def poisson_batch(n, q, generator):
    return torch.randint(0, n, (int(n * q),), generator=generator).sort().values
