# expect: shape (3, 3), expected (4, 3)
def kernel_matrix(k, X, Y):
    n = min(X.shape[0], Y.shape[1])
    return vmap(k, in_dims=(0, 1))(X[:n], Y[:, :n]).diag()
