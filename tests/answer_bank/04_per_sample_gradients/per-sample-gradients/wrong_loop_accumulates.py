# expect: Row i holds the sum of rows 0 to i
def per_sample_gradients(loss, w, X, y):
    leaf = w.clone().requires_grad_(True)
    rows = []
    for x_row, target in zip(X, y):
        loss(leaf, x_row, target).backward()
        rows.append(leaf.grad.clone())
    return torch.stack(rows)
