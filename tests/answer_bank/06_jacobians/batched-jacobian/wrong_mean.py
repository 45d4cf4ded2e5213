# expect: This is the mean of the tables
def batched_jacobian(f, X):
    return vmap(jacrev(f))(X).mean(dim=0)
