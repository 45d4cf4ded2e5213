def measured_rows(loss, measure, params, X, Y, size):
    result = torch.empty(len(X), dtype=X.dtype)
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        table = torch.func.jacrev(lambda p: vmap(loss, in_dims=(None, 0, 0))(p, X[rows], Y[rows]))(params)
        for i in range(len(X[rows])):
            result[start + i] = measure({name: part[i] for name, part in table.items()})
    return result
