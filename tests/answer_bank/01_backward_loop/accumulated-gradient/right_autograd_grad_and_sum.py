def accumulated_gradient(loss, w, X, y, size):
    leaf = w.clone().requires_grad_(True)
    total = torch.zeros_like(w)
    for start in range(0, len(X), size):
        losses = loss(leaf, X[start : start + size], y[start : start + size])
        total += torch.autograd.grad(losses.sum(), leaf)[0]
    return total / len(X)
