# expect: The dict stands in a tuple
def hessian_vector_product(loss, params, direction):
    return vjp(grad(loss), params)[1](direction)
