# expect: This is the transpose: outputs first
def flat_jacobian(f, params):
    tables = jacrev(f)(params)
    return torch.cat([t.reshape(t.shape[0], -1) for t in tables.values()], dim=1).T
