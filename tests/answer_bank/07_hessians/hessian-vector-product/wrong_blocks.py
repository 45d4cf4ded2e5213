# expect: Each parameter's product was made alone
def hessian_vector_product(loss, params, direction):
    result = {}
    for name in params:
        alone = lambda value: loss({**params, name: value})
        result[name] = jvp(grad(alone), (params[name],), (direction[name],))[1]
    return result
