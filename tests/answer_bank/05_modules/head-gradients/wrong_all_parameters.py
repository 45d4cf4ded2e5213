# expect: The gradients of all parameters came back
def head_gradients(model, prefix, X, Y):
    params = {n: p.detach() for n, p in model.named_parameters()}

    def loss(params, x, y):
        return ((functional_call(model, params, (x,)) - y) ** 2).mean()

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
