# expect: requires grad
def train_ensemble(models, loss, X, Y, steps, rate):
    params, _ = stack_module_state(models)
    for _ in range(steps):
        g = vmap(grad(lambda p: loss(functional_call(models[0], p, (X,)), Y)))(params)
        params = {k: params[k] - rate * g[k] for k in params}
    return params
