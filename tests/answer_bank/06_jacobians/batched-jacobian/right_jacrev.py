def batched_jacobian(f, X):
    return vmap(jacrev(f))(X)
