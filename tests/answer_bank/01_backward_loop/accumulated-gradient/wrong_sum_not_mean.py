# expect: This is the gradient of the summed loss
def accumulated_gradient(loss, w, X, y, size):
    leaf = w.clone().requires_grad_(True)
    for X_chunk, y_chunk in zip(X.split(size), y.split(size)):
        loss(leaf, X_chunk, y_chunk).sum().backward()
    return leaf.grad
