# expect: batched_jacobian(f, X)
def batched_jacobian(f, X):
    return jacrev(f)(X)
