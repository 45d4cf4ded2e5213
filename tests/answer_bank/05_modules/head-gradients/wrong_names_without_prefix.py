# expect: The names lack their prefix
def head_gradients(model, prefix, X, Y):
    params = {n: p.detach() for n, p in model.named_parameters()}

    def loss(params, x, y):
        return ((functional_call(model, params, (x,)) - y) ** 2).mean()

    table = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
    return {n.removeprefix(prefix): g for n, g in table.items() if n.startswith(prefix)}
