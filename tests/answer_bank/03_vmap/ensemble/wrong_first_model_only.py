# expect: This is one model
def ensemble(model, params, X):
    return vmap(model, in_dims=(None, 0))({name: tensor[0] for name, tensor in params.items()}, X)
