# expect: second derivatives alone cannot tell
def kind_of_point(f, x):
    if grad(f)(x).abs().max() > 1e-8:
        return "slope"
    values = torch.linalg.eigvalsh(jacfwd(grad(f))(x))
    if values[0] >= -1e-8:
        return "minimum"
    if values[-1] <= 1e-8:
        return "maximum"
    return "saddle"
