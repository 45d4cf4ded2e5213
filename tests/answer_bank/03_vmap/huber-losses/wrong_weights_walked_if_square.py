# expect: with B = 3, D = 3
def huber_losses(w, X, y, delta):
    def huber(w, x_row, target):
        size = ((w * x_row).sum() - target).abs()
        return torch.where(size <= delta, 0.5 * size**2, delta * (size - 0.5 * delta))

    return vmap(huber, in_dims=(0 if len(w) == len(X) else None, 0, 0))(w, X, y)
