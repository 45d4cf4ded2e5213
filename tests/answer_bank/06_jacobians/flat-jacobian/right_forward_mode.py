from torch.func import jacfwd


def flat_jacobian(f, params):
    tables = jacfwd(f)(params)
    rows = [torch.cat([tables[name][i].flatten() for name in params]) for i in range(len(tables[next(iter(params))]))]
    return torch.stack(rows)
