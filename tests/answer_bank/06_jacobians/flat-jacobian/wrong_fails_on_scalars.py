# expect: flat_jacobian(f, params) for 8 outputs
def flat_jacobian(f, params):
    return torch.cat([t.flatten(1) for t in jacrev(f)(params).values()], dim=1)
