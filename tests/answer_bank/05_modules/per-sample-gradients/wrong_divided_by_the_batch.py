# expect: Every row is B = 5 times too small
def per_sample_gradients(model, X, Y):
    params = {name: p.detach() for name, p in model.named_parameters()}

    def loss(params, x, y):
        return ((functional_call(model, params, (x,)) - y) ** 2).mean() / len(X)

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
