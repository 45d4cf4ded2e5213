# expect: every value is 4 times too small
def per_sample_gradients(loss, w, X, y):
    rows = []
    for x_row, target in zip(X, y):
        leaf = w.clone().requires_grad_(True)
        (loss(leaf, x_row, target) / len(X)).backward()
        rows.append(leaf.grad)
    return torch.stack(rows)
