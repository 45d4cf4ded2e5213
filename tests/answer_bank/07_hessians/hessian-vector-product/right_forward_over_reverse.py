def hessian_vector_product(loss, params, direction):
    _, product = jvp(grad(loss), (params,), (direction,))
    return product
