# expect: a number, the slope of the loss along the direction
def hessian_vector_product(loss, params, direction):
    return jvp(loss, (params,), (direction,))[1]
