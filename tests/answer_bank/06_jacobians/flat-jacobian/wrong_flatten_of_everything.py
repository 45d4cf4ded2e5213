# expect: flat_jacobian(f, params) for 8 outputs
def flat_jacobian(f, params):
    return torch.cat([t.flatten() for t in jacrev(f)(params).values()])
