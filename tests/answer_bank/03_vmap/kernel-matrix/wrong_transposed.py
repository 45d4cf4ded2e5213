# expect: The table is transposed: the outer map makes the first axis
def kernel_matrix(k, X, Y):
    return vmap(vmap(k, in_dims=(0, None)), in_dims=(None, 1))(X, Y)
