# expect: Only the diagonal is filled
def second_derivatives(f, x):
    return torch.diag(torch.diag(jacfwd(grad(f))(x)))
