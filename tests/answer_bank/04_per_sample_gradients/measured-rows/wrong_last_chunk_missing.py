# expect: 50 rows are 6 chunks of 8 rows and one of 2
def measured_rows(loss, measure, params, X, Y, size):
    measured = vmap(lambda p, x_row, target: measure(grad(loss)(p, x_row, target)), in_dims=(None, 0, 0))
    measures = []
    for start in range(0, len(X) - size, size):
        measures.append(measured(params, X[start : start + size], Y[start : start + size]))
    return torch.cat(measures)
