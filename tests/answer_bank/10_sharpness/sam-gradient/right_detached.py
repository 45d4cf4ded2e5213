def sam_gradient(loss, params, rho):
    def at_uphill(p):
        g = grad(loss)(p)
        length = torch.cat([v.flatten() for v in g.values()]).norm()
        return loss({k: p[k] + (rho * g[k] / length).detach() for k in p})

    return grad(at_uphill)(params)
