# expect: All rows of a chunk have the length of its mean gradient
def measured_rows(loss, measure, params, X, Y, size):
    measures = []
    for X_chunk, Y_chunk in zip(X.split(size), Y.split(size)):
        mean = grad(lambda p: vmap(loss, in_dims=(None, 0, 0))(p, X_chunk, Y_chunk).mean())(params)
        measures.append(measure(mean).expand(len(X_chunk)))
    return torch.cat(measures)
