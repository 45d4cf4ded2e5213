# expect: Python's if cannot choose. torch.where computes both branches
def huber_losses(w, X, y, delta):
    def huber(x_row, target):
        e = x_row @ w - target
        if e.abs() <= delta:
            return 0.5 * e**2
        return delta * (e.abs() - 0.5 * delta)

    return vmap(huber)(X, y)
