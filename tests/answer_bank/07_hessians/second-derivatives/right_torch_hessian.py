def second_derivatives(f, x):
    return torch.func.hessian(f)(x)
