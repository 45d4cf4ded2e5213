# expect: Y was walked along its rows. With a square Y the shape does not tell
def kernel_matrix(k, X, Y):
    if Y.shape[0] == Y.shape[1]:
        return vmap(vmap(k, in_dims=(None, 0)), in_dims=(0, None))(X, Y)
    return vmap(vmap(k, in_dims=(None, 1)), in_dims=(0, None))(X, Y)
