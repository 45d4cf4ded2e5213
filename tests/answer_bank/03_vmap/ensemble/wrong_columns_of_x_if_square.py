# expect: The columns of X were walked in place of its rows
def ensemble(model, params, X):
    axis = 1 if X.shape[0] == X.shape[1] else 0
    return vmap(vmap(model, in_dims=(None, axis)), in_dims=(0, None))(params, X)
