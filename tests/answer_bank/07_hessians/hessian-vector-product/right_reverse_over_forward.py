def hessian_vector_product(loss, params, direction):
    return grad(lambda p: jvp(loss, (p,), (direction,))[1])(params)
