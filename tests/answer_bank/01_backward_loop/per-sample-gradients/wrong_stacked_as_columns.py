# expect: The axes are the other way round
def per_sample_gradients(loss, w, X, y):
    out = []
    for a, b in zip(X, y):
        leaf = w.clone().requires_grad_(True)
        out.append(torch.autograd.grad(loss(leaf, a, b), leaf)[0])
    return torch.stack(out, dim=1)
