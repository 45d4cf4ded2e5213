# expect: 9 of 12 values are wrong. Look at rows 1, 2, 3
def per_sample_gradients(loss, w, X, y):
    leaf = w.clone().requires_grad_(True)
    rows = []
    for x_row, target in zip(X, y):
        (gradient,) = torch.autograd.grad(loss(leaf, x_row, target), leaf)
        rows.append(gradient)
        with torch.no_grad():
            leaf -= 0.01 * gradient
    return torch.stack(rows)
