# expect: Every row holds the gradient of the last one
def per_sample_gradients(loss, w, X, y):
    leaf = w.clone().requires_grad_(True)
    leaf.grad = torch.zeros_like(leaf)
    rows = []
    for x_row, target in zip(X, y):
        leaf.grad.zero_()
        loss(leaf, x_row, target).backward()
        rows.append(leaf.grad)
    return torch.stack(rows)
