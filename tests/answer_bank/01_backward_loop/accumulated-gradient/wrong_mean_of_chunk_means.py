# expect: This is the mean of the chunks' means
def accumulated_gradient(loss, w, X, y, size):
    leaf = w.clone().requires_grad_(True)
    chunks = list(zip(X.split(size), y.split(size)))
    for X_chunk, y_chunk in chunks:
        (loss(leaf, X_chunk, y_chunk).mean() / len(chunks)).backward()
    return leaf.grad
