# expect: These are the gradients of the other parameters
def head_gradients(model, prefix, X, Y):
    params = {n: p.detach() for n, p in model.named_parameters()}
    rest = {n: p for n, p in params.items() if not n.startswith(prefix)}

    def loss(rest, x, y):
        return ((functional_call(model, {**params, **rest}, (x,)) - y) ** 2).mean()

    return vmap(grad(loss), in_dims=(None, 0, 0))(rest, X, Y)
