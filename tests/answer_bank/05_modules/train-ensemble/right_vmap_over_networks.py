def train_ensemble(models, loss, X, Y, steps, rate):
    params, buffers = stack_module_state(models)
    params = {k: v.detach() for k, v in params.items()}

    def objective(p, X, Y):
        return loss(functional_call(models[0], p, (X,)), Y)

    for _ in range(steps):
        g = vmap(grad(objective), in_dims=(0, None, None))(params, X, Y)
        params = {k: params[k] - rate * g[k] for k in params}
    return params
