# expect: torch.stack makes one tensor of tensors with the same shape
def per_sample_gradients(loss, w, X, y):
    rows = []
    for x_row, target in zip(X, y):
        leaf = w.clone().requires_grad_(True)
        loss(leaf, x_row, target).backward()
        rows.append(leaf.grad)
    return rows
