# expect: changed its argument w
def per_sample_gradients(loss, w, X, y):
    rows = []
    for x_row, target in zip(X, y):
        gradient = grad(loss)(w, x_row, target)
        rows.append(gradient)
        w -= 0.1 * gradient
    return torch.stack(rows)
