# expect: values are wrong
def huber_losses(w, X, y, delta):
    return torch.nn.functional.huber_loss(X @ w, y, reduction="none")
