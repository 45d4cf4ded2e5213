def train_ensemble(models, loss, X, Y, steps, rate):
    names = [name for name, _ in models[0].named_parameters()]
    params = {n: torch.stack([m.get_parameter(n).detach() for m in models]) for n in names}
    step = vmap(grad(lambda p: loss(functional_call(models[0], p, (X,), strict=True), Y)))
    for _ in range(steps):
        for n, g in step(params).items():
            params = {**params, n: params[n] - rate * g}
        # all gradients were taken before the first change
    return params
