# expect: requires grad
def per_sample_gradients(model, X, Y):
    params = dict(model.named_parameters())

    def loss(params, x, y):
        return ((functional_call(model, params, (x,)) - y) ** 2).mean()

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
