def hessian_vector_product(loss, params, direction):
    def slope(p):
        g = grad(loss)(p)
        return sum((g[name] * direction[name]).sum() for name in g)

    return grad(slope)(params)
