# expect: This is the largest eigenvalue
def steepest_curvature(f, x, start, steps):
    return torch.linalg.eigvalsh(torch.func.hessian(f)(x))[-1]
