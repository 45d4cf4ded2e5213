def kernel_matrix(k, X, Y):
    return vmap(vmap(k, in_dims=(0, None)), in_dims=(None, 1), out_dims=1)(X, Y)
