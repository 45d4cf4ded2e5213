# expect: All rows follow the line
def huber_losses(w, X, y, delta):
    return vmap(lambda x_row, target: delta * ((x_row @ w - target).abs() - 0.5 * delta))(X, y)
