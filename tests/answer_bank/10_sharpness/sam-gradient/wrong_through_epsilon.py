# expect: It was differentiated through ε
def sam_gradient(loss, params, rho):
    def at_uphill(p):
        g = grad(loss)(p)
        norm = torch.stack([v.norm() for v in g.values()]).norm()
        return loss({k: p[k] + rho * g[k] / norm for k in p})

    return grad(at_uphill)(params)
