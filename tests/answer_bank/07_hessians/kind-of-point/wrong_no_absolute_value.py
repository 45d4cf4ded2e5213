# expect: it is negative, and not zero
def kind_of_point(f, x):
    if grad(f)(x).max() > 1e-8:
        return "slope"
    values = torch.linalg.eigvalsh(jacfwd(grad(f))(x))
    if values[0] < -1e-8 and values[-1] > 1e-8:
        return "saddle"
    if values[0] > 1e-8:
        return "minimum"
    return "maximum" if values[-1] < -1e-8 else "undecided"
