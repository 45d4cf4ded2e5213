def per_sample_gradients(loss, w, X, y):
    copies = w.repeat(len(X), 1).requires_grad_(True)
    vmap(loss)(copies, X, y).sum().backward()
    return copies.grad
