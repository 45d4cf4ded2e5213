# expect: The two branches are exchanged
def huber_losses(w, X, y, delta):
    size = (X @ w - y).abs()
    return torch.where(size <= delta, delta * (size - 0.5 * delta), 0.5 * size**2)
