# expect: This is the mean over the rows
def huber_losses(w, X, y, delta):
    return torch.nn.functional.huber_loss(X @ w, y, delta=delta)
