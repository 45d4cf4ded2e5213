# expect: the values are right, but squared_error was called 5 times; once is enough
def per_sample_gradients(loss, w, X, y):
    row_gradient = grad(loss)
    return torch.stack([row_gradient(w, x_row, target) for x_row, target in zip(X, y)])
