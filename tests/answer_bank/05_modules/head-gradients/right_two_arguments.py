def head_gradients(model, prefix, X, Y):
    head, rest = {}, {}
    for n, p in model.named_parameters():
        (head if n.startswith(prefix) else rest)[n] = p.detach()

    def loss(head, rest, x, y):
        return ((functional_call(model, (head, rest), (x,), strict=True) - y) ** 2).mean()

    return vmap(grad(loss), in_dims=(None, None, 0, 0))(head, rest, X, Y)
