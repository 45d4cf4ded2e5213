def per_sample_gradients(loss, w, X, y):
    W = w.detach().repeat(len(X), 1).requires_grad_(True)
    sum(loss(W[i], X[i], y[i]) for i in range(len(X))).backward()
    return W.grad
