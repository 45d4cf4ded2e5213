# expect: This is the sum of the chunks' means
def accumulated_gradient(loss, w, X, y, size):
    leaf = w.clone().requires_grad_(True)
    for X_chunk, y_chunk in zip(X.split(size), y.split(size)):
        loss(leaf, X_chunk, y_chunk).mean().backward()
    return leaf.grad
