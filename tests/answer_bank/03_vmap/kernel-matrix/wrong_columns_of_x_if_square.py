# expect: with another kernel, N = 3, D = 3, M = 3
def kernel_matrix(k, X, Y):
    axis = 1 if X.shape[0] == X.shape[1] else 0
    return vmap(vmap(k, in_dims=(None, 1)), in_dims=(axis, None))(X, Y)
