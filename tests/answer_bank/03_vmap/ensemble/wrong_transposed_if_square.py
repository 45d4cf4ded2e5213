# expect: With as many models as rows the shape does not tell
def ensemble(model, params, X):
    table = vmap(vmap(model, in_dims=(None, 0)), in_dims=(0, None))(params, X)
    return table.T if table.shape[0] == table.shape[1] else table
