def kind_of_point(f, x):
    if grad(f)(x).norm() > 1e-8:
        return "slope"
    values = torch.linalg.eigh(jacrev(grad(f))(x)).eigenvalues.tolist()
    above, below = sum(v > 1e-8 for v in values), sum(v < -1e-8 for v in values)
    if above and below:
        return "saddle"
    if above == len(values):
        return "minimum"
    return "maximum" if below == len(values) else "undecided"
