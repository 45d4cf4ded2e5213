def kind_of_point(f, x):
    if not torch.allclose(grad(f)(x), torch.zeros_like(x), atol=1e-8):
        return "slope"
    eigenvalues = torch.linalg.eigvalsh(torch.func.hessian(f)(x))
    up, down = (eigenvalues > 1e-8).any(), (eigenvalues < -1e-8).any()
    flat = (eigenvalues.abs() <= 1e-8).any()
    if up and down:
        return "saddle"
    if flat:
        return "undecided"
    return "minimum" if up else "maximum"
