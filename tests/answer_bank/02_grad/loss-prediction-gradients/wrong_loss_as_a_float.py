# expect: Return the tensor itself
def loss_prediction_gradients(predict, w, b, X, y):
    def inner(w, b):
        p = predict(w, b, X)
        return ((p - y) ** 2).mean(), p

    gradients, (loss, prediction) = grad_and_value(inner, argnums=(0, 1), has_aux=True)(w, b)
    return loss.item(), prediction, gradients
