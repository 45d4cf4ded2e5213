# expect: Two arguments are walked along axes of different length
def kernel_matrix(k, X, Y):
    return vmap(vmap(k))(X, Y)
