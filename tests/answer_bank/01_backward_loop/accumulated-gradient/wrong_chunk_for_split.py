# expect: more than size = 3
def accumulated_gradient(loss, w, X, y, size):
    leaf = w.clone().requires_grad_(True)
    for Xc, yc in zip(X.chunk(size), y.chunk(size)):
        (loss(leaf, Xc, yc).sum() / len(X)).backward()
    return leaf.grad
