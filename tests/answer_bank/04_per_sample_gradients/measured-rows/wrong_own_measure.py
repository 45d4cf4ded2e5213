# expect: Use the function that is passed in as measure
def measured_rows(loss, measure, params, X, Y, size):
    def of_one_row(params, x_row, target):
        gradients = grad(loss)(params, x_row, target)
        return torch.stack([part.norm() for part in gradients.values()]).norm()

    return vmap(of_one_row, in_dims=(None, 0, 0), chunk_size=size)(params, X, Y)
