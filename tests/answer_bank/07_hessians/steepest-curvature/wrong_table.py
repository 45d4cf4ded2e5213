# expect: a tensor as large as the whole table
def steepest_curvature(f, x, start, steps):
    values = torch.linalg.eigvalsh(torch.func.hessian(f)(x))
    return values[values.abs().argmax()]
