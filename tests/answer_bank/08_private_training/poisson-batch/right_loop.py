def poisson_batch(n, q, generator):
    chosen = [i for i in range(n) if torch.rand((), generator=generator).item() < q]
    return torch.tensor(chosen, dtype=torch.int64)
