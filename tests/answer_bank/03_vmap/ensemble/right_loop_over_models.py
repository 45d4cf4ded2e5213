def ensemble(model, params, X):
    count = len(next(iter(params.values())))
    members = [{name: tensor[m] for name, tensor in params.items()} for m in range(count)]
    return torch.stack([vmap(model, in_dims=(None, 0))(member, X) for member in members])
