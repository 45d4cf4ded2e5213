# expect: kind_of_point(f, x)
def kind_of_point(f, x):
    if grad(f)(x).abs().max() > 1e-8:
        return "slope"
    H = jacfwd(grad(f))(x)
    det = torch.det(H)
    if det < -1e-8:
        return "saddle"
    if det > 1e-8:
        return "minimum" if H[0, 0] > 0 else "maximum"
    return "undecided"
