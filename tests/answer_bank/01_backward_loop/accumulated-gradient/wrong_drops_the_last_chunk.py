# expect: The last, shorter chunk is missing
def accumulated_gradient(loss, w, X, y, size):
    leaf = w.clone().requires_grad_(True)
    for i in range(len(X) // size):
        rows = slice(i * size, (i + 1) * size)
        (loss(leaf, X[rows], y[rows]).sum() / len(X)).backward()
    return leaf.grad
