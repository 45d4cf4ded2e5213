# expect: missing '0.weight', '0.bias'
def per_sample_gradients(model, X, Y):
    params = {name.split(".")[-1]: p.detach() for name, p in model.named_parameters()}

    def loss(params, x, y):
        return ((functional_call(model, {**dict(model.named_parameters()), **params}, (x,)) - y) ** 2).mean()

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
