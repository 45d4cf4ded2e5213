# expect: the condition looks at e, not at its size
def huber_losses(w, X, y, delta):
    def huber(x_row, target):
        e = x_row @ w - target
        return torch.where(e <= delta, 0.5 * e**2, delta * (e.abs() - 0.5 * delta))

    return vmap(huber)(X, y)
