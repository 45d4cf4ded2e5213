# expect: The step is not scaled
def sam_gradient(loss, params, rho):
    g = grad(loss)(params)
    return grad(loss)({k: params[k] + rho * g[k] for k in params})
