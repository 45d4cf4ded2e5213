def mixes_rows(model, X):
    def run(batch):
        buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
        with torch.no_grad():
            return functional_call(model, (dict(model.named_parameters()), buffers), (batch,))

    first = run(X)
    for i in range(len(X)):
        others = X * 3 - 1
        others[i] = X[i]
        if not torch.allclose(first[i], run(others)[i], atol=1e-6):
            return True
    return False
