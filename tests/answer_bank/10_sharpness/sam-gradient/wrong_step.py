# expect: This is ε, the step uphill
def sam_gradient(loss, params, rho):
    g = grad(loss)(params)
    norm = torch.stack([v.norm() for v in g.values()]).norm()
    return {k: rho * g[k] / norm for k in params}
