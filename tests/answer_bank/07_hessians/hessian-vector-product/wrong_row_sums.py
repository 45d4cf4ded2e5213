# expect: row sums of H were multiplied
def hessian_vector_product(loss, params, direction):
    sums = grad(lambda p: sum(g.sum() for g in grad(loss)(p).values()))(params)
    return {name: sums[name] * direction[name] for name in params}
