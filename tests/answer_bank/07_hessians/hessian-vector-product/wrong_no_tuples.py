# expect: hessian_vector_product(loss, params, direction)
def hessian_vector_product(loss, params, direction):
    return jvp(grad(loss), params, direction)[1]
