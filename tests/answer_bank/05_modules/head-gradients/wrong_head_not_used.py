# expect: Every entry is 0
def head_gradients(model, prefix, X, Y):
    everything = {n: p.detach() for n, p in model.named_parameters()}
    head = {n: p for n, p in everything.items() if n.startswith(prefix)}

    def loss(head, x, y):
        return ((functional_call(model, everything, (x,)) - y) ** 2).mean()

    return vmap(grad(loss), in_dims=(None, 0, 0))(head, X, Y)
