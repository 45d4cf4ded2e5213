# expect: Names that hold the prefix somewhere came along
def head_gradients(model, prefix, X, Y):
    parameters = {name: parameter.detach() for name, parameter in model.named_parameters()}
    trained = {name: parameter for name, parameter in parameters.items() if prefix in name}

    def row_loss(trained, x_row, target):
        prediction = functional_call(model, {**parameters, **trained}, (x_row,), strict=True)
        return ((prediction - target) ** 2).mean()

    return vmap(grad(row_loss), in_dims=(None, 0, 0))(trained, X, Y)
