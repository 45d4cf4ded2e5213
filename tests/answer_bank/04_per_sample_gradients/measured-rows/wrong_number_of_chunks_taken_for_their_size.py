# expect: the values are right, but two_outputs was called 8 times; 7 times is enough
def measured_rows(loss, measure, params, X, Y, size):
    measured = vmap(lambda p, x_row, target: measure(grad(loss)(p, x_row, target)), in_dims=(None, 0, 0))
    return torch.cat([measured(params, *chunk) for chunk in zip(X.chunk(size), Y.chunk(size))])
