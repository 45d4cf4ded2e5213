def mixes_rows(model, X):
    def run(batch):
        buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
        with torch.no_grad():
            return functional_call(model, (dict(model.named_parameters()), buffers), (batch,))

    return not torch.allclose(run(X)[0], run(torch.cat([X[:1], X[1:] * 3 - 1]))[0], atol=1e-6)
