# expect: the gradients of 50 rows are in memory at one time
def measured_rows(loss, measure, params, X, Y, size):
    table = vmap(grad(loss), in_dims=(None, 0, 0), chunk_size=size)(params, X, Y)
    return torch.stack([measure({name: part[i] for name, part in table.items()}) for i in range(len(X))])
