def kernel_matrix(k, X, Y):
    def row(x):
        return vmap(lambda y: k(x, y), in_dims=-1)(Y)

    return vmap(row)(X)
