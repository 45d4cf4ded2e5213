# expect: The gradients stand in a tuple
def per_sample_gradients(model, X, Y):
    params = tuple(p.detach() for p in model.parameters())
    names = [name for name, _ in model.named_parameters()]

    def loss(params, x, y):
        return ((functional_call(model, dict(zip(names, params)), (x,)) - y) ** 2).mean()

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
