# expect: vmap outside, one call for the whole batch
def batched_jacobian(f, X):
    return torch.stack([jacrev(f)(x) for x in X])
