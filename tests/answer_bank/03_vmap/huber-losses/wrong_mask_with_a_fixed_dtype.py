# expect: dtype float64, expected float32
def huber_losses(w, X, y, delta):
    size = (X @ w - y).abs()
    small = (size <= delta).double()
    return small * 0.5 * size**2 + (1 - small) * delta * (size - 0.5 * delta)
