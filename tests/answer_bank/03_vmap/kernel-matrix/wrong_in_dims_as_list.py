# expect: in_dims needs one entry for each positional argument
def kernel_matrix(k, X, Y):
    return vmap(vmap(k, in_dims=[None, 1]), in_dims=[0, None])(X, Y)
