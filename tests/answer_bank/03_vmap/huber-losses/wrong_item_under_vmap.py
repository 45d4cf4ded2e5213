# expect: Under vmap a tensor stands for all rows at once and has no single Python number
def huber_losses(w, X, y, delta):
    def huber(x_row, target):
        e = (x_row @ w - target).item()
        return torch.tensor(0.5 * e**2 if abs(e) <= delta else delta * (abs(e) - 0.5 * delta))

    return vmap(huber)(X, y)
