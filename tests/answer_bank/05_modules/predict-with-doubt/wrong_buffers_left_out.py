# expect: All members used the statistics of the first one
def predict_with_doubt(models, X):
    params, _ = stack_module_state(models)
    out = vmap(lambda p: functional_call(models[0], p, (X,)))(params).detach()
    return out.mean(0), out.std(0)
