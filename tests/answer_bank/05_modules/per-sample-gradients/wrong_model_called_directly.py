# expect: Every entry is 0
def per_sample_gradients(model, X, Y):
    params = {name: p.detach() for name, p in model.named_parameters()}

    def loss(params, x, y):
        return ((model(x) - y) ** 2).mean()

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
