# expect: Its diagonal is positive, but along (1, -1) f goes down
def kind_of_point(f, x):
    if grad(f)(x).abs().max() > 1e-8:
        return "slope"
    values = torch.diag(jacfwd(grad(f))(x))
    if values.min() < -1e-8 and values.max() > 1e-8:
        return "saddle"
    if values.min() > 1e-8:
        return "minimum"
    return "maximum" if values.max() < -1e-8 else "undecided"
