def hessian_vector_product(loss, params, direction):
    _, pull = vjp(grad(loss), params)
    return pull(direction)[0]
