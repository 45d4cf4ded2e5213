# expect: This is one gradient for the whole batch
def head_gradients(model, prefix, X, Y):
    params = {n: p.detach() for n, p in model.named_parameters()}
    head = {n: p for n, p in params.items() if n.startswith(prefix)}

    def loss(head):
        return ((functional_call(model, {**params, **head}, (X,)) - Y) ** 2).mean()

    return grad(loss)(head)
