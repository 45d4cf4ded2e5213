def per_sample_gradients(loss, w, X, y):
    leaf = w.clone().requires_grad_(True)
    return torch.stack([torch.autograd.grad(loss(leaf, x, t), leaf)[0] for x, t in zip(X, y)])
