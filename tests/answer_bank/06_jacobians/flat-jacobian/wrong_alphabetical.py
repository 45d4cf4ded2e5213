# expect: The order of the columns is that of the dict
def flat_jacobian(f, params):
    tables = jacrev(f)(params)
    return torch.cat([tables[name].reshape(len(tables[name]), -1) for name in sorted(tables)], dim=1)
