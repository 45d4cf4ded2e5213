# expect: This is the exact trace
def trace_estimate(f, x, signs):
    return torch.func.hessian(f)(x).trace()
