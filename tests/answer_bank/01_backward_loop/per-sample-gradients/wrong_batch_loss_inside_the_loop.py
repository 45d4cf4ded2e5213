# expect: Every row holds the gradient of the mean loss
def per_sample_gradients(loss, w, X, y):
    rows = []
    for _ in range(len(X)):
        leaf = w.clone().requires_grad_(True)
        losses = torch.stack([loss(leaf, x_row, target) for x_row, target in zip(X, y)])
        losses.mean().backward()
        rows.append(leaf.grad)
    return torch.stack(rows)
