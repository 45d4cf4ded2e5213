def per_sample_gradients(loss, w, X, y):
    return torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(w, X, y)
