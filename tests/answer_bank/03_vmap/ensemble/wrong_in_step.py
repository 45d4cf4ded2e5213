# expect: Two arguments are walked along axes of different length
def ensemble(model, params, X):
    return vmap(model)(params, X)
