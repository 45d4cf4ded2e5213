# expect: Its sum is zero, but it is not
def kind_of_point(f, x):
    if grad(f)(x).sum().abs() > 1e-8:
        return "slope"
    values = torch.linalg.eigvalsh(jacfwd(grad(f))(x))
    if values[0] < -1e-8 and values[-1] > 1e-8:
        return "saddle"
    if values[0] > 1e-8:
        return "minimum"
    return "maximum" if values[-1] < -1e-8 else "undecided"
