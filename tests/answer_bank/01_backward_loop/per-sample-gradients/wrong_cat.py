# expect: torch.stack makes a new one
def per_sample_gradients(loss, w, X, y):
    rows = []
    for x_row, target in zip(X, y):
        leaf = w.clone().requires_grad_(True)
        loss(leaf, x_row, target).backward()
        rows.append(leaf.grad)
    return torch.cat(rows)
