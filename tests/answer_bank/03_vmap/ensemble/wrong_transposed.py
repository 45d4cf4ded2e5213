# expect: The table is transposed: the models belong to the first axis
def ensemble(model, params, X):
    return vmap(vmap(model, in_dims=(0, None)), in_dims=(None, 0))(params, X)
