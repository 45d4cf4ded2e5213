# expect: Loops run it once for each pair
def kernel_matrix(k, X, Y):
    return torch.stack([torch.stack([k(x, y) for y in Y.T]) for x in X])
