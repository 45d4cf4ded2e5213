# expect: dtype float64, expected float32
def per_sample_gradients(loss, w, X, y):
    out = torch.zeros(len(X), len(w), dtype=torch.float64)
    for i in range(len(X)):
        leaf = w.clone().requires_grad_(True)
        loss(leaf, X[i], y[i]).backward()
        out[i] = leaf.grad
    return out
