# expect: dtype float64, expected float32
def accumulated_gradient(loss, w, X, y, size):
    total = torch.zeros(len(w), dtype=torch.float64)
    for Xc, yc in zip(X.split(size), y.split(size)):
        leaf = w.clone().requires_grad_(True)
        total += torch.autograd.grad(loss(leaf, Xc, yc).sum(), leaf)[0] / len(X)
    return total
