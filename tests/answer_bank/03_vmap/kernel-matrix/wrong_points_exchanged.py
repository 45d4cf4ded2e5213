# expect: The kernel got its two points in the wrong order
def kernel_matrix(k, X, Y):
    return vmap(lambda x: vmap(lambda y: k(y, x), in_dims=1)(Y))(X)
