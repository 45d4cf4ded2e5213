# expect: The half is missing in the parabola
def huber_losses(w, X, y, delta):
    def huber(x_row, target):
        size = (x_row @ w - target).abs()
        return torch.where(size <= delta, size**2, delta * (size - 0.5 * delta))

    return vmap(huber)(X, y)
