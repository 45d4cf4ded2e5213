# expect: This is the mean over the models
def ensemble(model, params, X):
    return vmap(vmap(model, in_dims=(None, 0)), in_dims=(0, None))(params, X).mean(dim=0)
