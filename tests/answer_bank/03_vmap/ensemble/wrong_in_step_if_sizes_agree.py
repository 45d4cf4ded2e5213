# expect: Model m saw row m only
def ensemble(model, params, X):
    M = len(next(iter(params.values())))
    if len(X) == M:
        return vmap(model)(params, X)
    return vmap(vmap(model, in_dims=(None, 0)), in_dims=(0, None))(params, X)
