def huber_losses(w, X, y, delta):
    losses = []
    for x_row, target in zip(X, y):
        e = x_row @ w - target
        losses.append(0.5 * e**2 if abs(e) <= delta else delta * (abs(e) - 0.5 * delta))
    return torch.stack(losses)
