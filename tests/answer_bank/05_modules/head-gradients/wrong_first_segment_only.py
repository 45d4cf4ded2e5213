# expect: not asked for '2.bias'
def head_gradients(model, prefix, X, Y):
    params = {n: p.detach() for n, p in model.named_parameters()}
    head = {n: p for n, p in params.items() if n.split(".")[0] == prefix.split(".")[0]}

    def loss(head, x, y):
        return ((functional_call(model, {**params, **head}, (x,)) - y) ** 2).mean()

    return vmap(grad(loss), in_dims=(None, 0, 0))(head, X, Y)
