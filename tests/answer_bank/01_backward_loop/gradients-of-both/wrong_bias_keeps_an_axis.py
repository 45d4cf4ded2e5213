# expect: Row i of entry ['b'] should have shape ()
def gradients_of_both(loss, w, b, X, y):
    leaves = (w.clone().requires_grad_(True), b.clone().requires_grad_(True))
    rows = [torch.autograd.grad(loss(*leaves, x_row, target), leaves) for x_row, target in zip(X, y)]
    return {"w": torch.stack([row[0] for row in rows]), "b": torch.stack([row[1].reshape(1) for row in rows])}
