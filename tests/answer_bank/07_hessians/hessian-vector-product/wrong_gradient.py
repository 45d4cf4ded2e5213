# expect: This is the gradient
def hessian_vector_product(loss, params, direction):
    return jvp(grad(loss), (params,), (direction,))[0]
