# expect: Each table is transposed
def batched_jacobian(f, X):
    return vmap(jacrev(f))(X).transpose(1, 2)
