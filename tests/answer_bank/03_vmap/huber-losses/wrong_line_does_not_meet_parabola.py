# expect: Line and parabola do not meet
def huber_losses(w, X, y, delta):
    def huber(x_row, target):
        size = (x_row @ w - target).abs()
        return torch.where(size <= delta, 0.5 * size**2, delta * size)

    return vmap(huber)(X, y)
