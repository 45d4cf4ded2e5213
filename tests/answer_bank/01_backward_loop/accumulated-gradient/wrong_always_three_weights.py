# expect: with 7 rows, D = 2
def accumulated_gradient(loss, w, X, y, size):
    total = torch.zeros(3, dtype=w.dtype)
    for Xc, yc in zip(X.split(size), y.split(size)):
        leaf = w.clone().requires_grad_(True)
        total += torch.autograd.grad(loss(leaf, Xc, yc).sum(), leaf)[0] / len(X)
    return total
