def accumulated_gradient(loss, w, X, y, size):
    B = X.shape[0]
    leaf = w.clone().requires_grad_(True)
    start = 0
    while start < B:
        X_chunk, y_chunk = X[start : start + size], y[start : start + size]
        share = len(X_chunk) / B
        (share * loss(leaf, X_chunk, y_chunk).mean()).backward()
        start += size
    return leaf.grad
