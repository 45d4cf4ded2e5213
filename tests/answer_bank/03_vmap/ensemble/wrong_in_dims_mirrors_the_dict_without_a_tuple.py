# expect: With one argument that is a dict, write ({...},)
def ensemble(model, params, X):
    one_model = lambda p: vmap(model, in_dims=(None, 0))(p, X)
    return vmap(one_model, in_dims={name: 0 for name in params})(params)
