def losses_and_gradients(loss, w, b, X, y):
    def dict_loss(params, x_row, target):
        return loss(params["w"], params["b"], x_row, target)

    params = {"w": w, "b": b}
    gradients, losses = vmap(grad_and_value(dict_loss), in_dims=(None, 0, 0))(params, X, y)
    return losses, (gradients["w"], gradients["b"])
