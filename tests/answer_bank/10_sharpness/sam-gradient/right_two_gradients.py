def sam_gradient(loss, params, rho):
    g = grad(loss)(params)
    length = torch.sqrt(sum((v**2).sum() for v in g.values()))
    uphill = {k: params[k] + rho / length * g[k] for k in params}
    return grad(loss)(uphill)
