# expect: but loss was called twice
def hessian_vector_product(loss, params, direction):
    h = 1e-5
    ahead = grad(loss)({name: params[name] + h * direction[name] for name in params})
    behind = grad(loss)({name: params[name] - h * direction[name] for name in params})
    return {name: (ahead[name] - behind[name]) / (2 * h) for name in params}
