# expect: Both signs are there
def kind_of_point(f, x):
    if grad(f)(x).abs().max() > 1e-8:
        return "slope"
    values = torch.linalg.eigvalsh(jacfwd(grad(f))(x))
    if (values.abs() < 1e-8).any():
        return "undecided"
    if (values > 0).all():
        return "minimum"
    return "maximum" if (values < 0).all() else "saddle"
