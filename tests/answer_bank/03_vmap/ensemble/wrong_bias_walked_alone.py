# expect: Look at rows 1, 2
def ensemble(model, params, X):
    axes = {name: 0 if tensor.ndim == 1 else None for name, tensor in params.items()}
    one = {name: tensor if tensor.ndim == 1 else tensor[0] for name, tensor in params.items()}
    return vmap(vmap(model, in_dims=(None, 0)), in_dims=(axes, None))(one, X)
