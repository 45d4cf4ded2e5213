# expect: Every row is K = 2 times too large
def per_sample_gradients(model, X, Y):
    params = {name: p.detach() for name, p in model.named_parameters()}

    def loss(params, x, y):
        return ((functional_call(model, params, (x,)) - y) ** 2).sum()

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
