# expect: shape (4,), expected (4, 3)
def kernel_matrix(k, X, Y):
    return vmap(lambda x, points: k(x, points[:, 0]), in_dims=0)(X, points=Y)
