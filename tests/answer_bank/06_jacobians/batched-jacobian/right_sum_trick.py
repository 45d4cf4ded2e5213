def batched_jacobian(f, X):
    return jacrev(lambda X: vmap(f)(X).sum(dim=0))(X).movedim(1, 0)
