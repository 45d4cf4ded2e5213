# expect: A point of these kinds needs a gradient of zero
def kind_of_point(f, x):
    values = torch.linalg.eigvalsh(jacfwd(grad(f))(x))
    if values[0] < -1e-8 and values[-1] > 1e-8:
        return "saddle"
    if values[0] > 1e-8:
        return "minimum"
    return "maximum" if values[-1] < -1e-8 else "undecided"
