def ensemble(model, params, X):
    def one_model(p):
        return vmap(lambda x_row: model(p, x_row))(X)

    return vmap(one_model, in_dims=({name: 0 for name in params},))(params)
