# expect: This is the gradient at params
def sam_gradient(loss, params, rho):
    return grad(loss)(params)
