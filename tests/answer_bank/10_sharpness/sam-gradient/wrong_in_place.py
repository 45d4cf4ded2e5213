# expect: its argument params
def sam_gradient(loss, params, rho):
    g = grad(loss)(params)
    norm = torch.stack([v.norm() for v in g.values()]).norm()
    for k in params:
        params[k] += rho * g[k] / norm
    return grad(loss)(params)
