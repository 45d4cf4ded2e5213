# expect: more than size
def accumulated_gradient(loss, w, X, y, size):
    leaf = w.clone().requires_grad_(True)
    loss(leaf, X, y).mean().backward()
    return leaf.grad
