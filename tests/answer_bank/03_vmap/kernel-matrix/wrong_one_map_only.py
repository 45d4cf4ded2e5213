# expect: Two arguments are walked along axes of different length
def kernel_matrix(k, X, Y):
    return vmap(k, in_dims=(0, 1))(X, Y)
