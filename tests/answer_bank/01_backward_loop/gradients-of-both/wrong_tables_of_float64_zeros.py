# expect: dtype float64, expected float32
def gradients_of_both(loss, w, b, X, y):
    gw, gb = torch.zeros(len(X), len(w), dtype=torch.float64), torch.zeros(len(X), dtype=torch.float64)
    for i in range(len(X)):
        lw, lb = w.clone().requires_grad_(True), b.clone().requires_grad_(True)
        gw[i], gb[i] = torch.autograd.grad(loss(lw, lb, X[i], y[i]), (lw, lb))
    return {"w": gw, "b": gb}
