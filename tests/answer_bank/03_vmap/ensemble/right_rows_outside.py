def ensemble(model, params, X):
    all_models = vmap(model, in_dims=(0, None))
    return vmap(all_models, in_dims=(None, 0), out_dims=1)(params, X)
