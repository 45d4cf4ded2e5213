# expect: the values are right, but two_outputs was called 50 times
def measured_rows(loss, measure, params, X, Y, size):
    return torch.stack([measure(grad(loss)(params, x_row, target)) for x_row, target in zip(X, Y)])
