def kernel_matrix(k, X, Y):
    N, M = X.shape[0], Y.shape[1]
    first = X.repeat_interleave(M, dim=0)
    second = Y.T.repeat(N, 1)
    return vmap(k)(first, second).view(N, M)
