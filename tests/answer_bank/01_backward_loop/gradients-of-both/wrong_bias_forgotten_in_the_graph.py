# expect: Every tensor that you differentiate needs requires_grad_
def gradients_of_both(loss, w, b, X, y):
    leaf = w.clone().requires_grad_(True)
    fixed = b.clone()
    of_w, of_b = [], []
    for x_row, target in zip(X, y):
        gradients = torch.autograd.grad(loss(leaf, fixed, x_row, target), (leaf, fixed))
        of_w.append(gradients[0])
        of_b.append(gradients[1])
    return {"w": torch.stack(of_w), "b": torch.stack(of_b)}
