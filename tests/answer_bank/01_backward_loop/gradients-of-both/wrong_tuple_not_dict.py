# expect: expected a dict with the keys 'w', 'b'
def gradients_of_both(loss, w, b, X, y):
    leaves = (w.clone().requires_grad_(True), b.clone().requires_grad_(True))
    rows = [torch.autograd.grad(loss(*leaves, x_row, target), leaves) for x_row, target in zip(X, y)]
    of_w, of_b = zip(*rows)
    return torch.stack(of_w), torch.stack(of_b)
