# expect: Compute the loss anew before each backward()
def per_sample_gradients(loss, w, X, y):
    leaf = w.clone().requires_grad_(True)
    losses = torch.stack([loss(leaf, a, b) for a, b in zip(X, y)])
    out = []
    for one in losses:
        one.backward()
        out.append(leaf.grad.clone())
    return torch.stack(out)
