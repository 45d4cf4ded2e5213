# expect: This is the Jacobian of the whole batched function
def batched_jacobian(f, X):
    return jacrev(vmap(f))(X)
