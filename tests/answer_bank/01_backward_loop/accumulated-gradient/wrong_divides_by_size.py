# expect: one constant factor is wrong
def accumulated_gradient(loss, w, X, y, size):
    leaf = w.clone().requires_grad_(True)
    for X_chunk, y_chunk in zip(X.split(size), y.split(size)):
        (loss(leaf, X_chunk, y_chunk).sum() / size).backward()
    return leaf.grad
