def per_sample_gradients(model, X, Y):
    def loss(params, x, y):
        return torch.nn.functional.mse_loss(functional_call(model, params, (x,)), y)

    params = {k: v.detach() for k, v in model.named_parameters()}
    return vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
