# expect: what is below 1e-8 counts as zero
def kind_of_point(f, x):
    if (grad(f)(x) != 0).any():
        return "slope"
    values = torch.linalg.eigvalsh(jacfwd(grad(f))(x))
    if values[0] < 0 and values[-1] > 0:
        return "saddle"
    if values[0] > 0:
        return "minimum"
    return "maximum" if values[-1] < 0 else "undecided"
