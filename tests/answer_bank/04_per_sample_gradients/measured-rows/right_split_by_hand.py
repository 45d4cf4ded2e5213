def measured_rows(loss, measure, params, X, Y, size):
    row_gradients = vmap(grad(loss), in_dims=(None, 0, 0))
    measures = []
    for X_chunk, Y_chunk in zip(X.split(size), Y.split(size)):
        gradients = row_gradients(params, X_chunk, Y_chunk)
        measures.append(vmap(measure)(gradients))
    return torch.cat(measures)
