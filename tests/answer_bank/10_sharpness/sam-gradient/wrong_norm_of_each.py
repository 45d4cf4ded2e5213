# expect: Each parameter was scaled by its own norm
def sam_gradient(loss, params, rho):
    g = grad(loss)(params)
    return grad(loss)({k: params[k] + rho * g[k] / g[k].norm() for k in params})
