# expect: This is one gradient for the whole batch
def per_sample_gradients(model, X, Y):
    params = {name: p.detach() for name, p in model.named_parameters()}

    def loss(params):
        return ((functional_call(model, params, (X,)) - Y) ** 2).mean()

    return grad(loss)(params)
