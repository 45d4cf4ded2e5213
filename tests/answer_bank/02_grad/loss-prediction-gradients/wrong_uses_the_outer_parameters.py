# expect: to grad, the loss does not depend on its arguments
def loss_prediction_gradients(predict, w, b, X, y):
    def loss_and_prediction(weights, bias):
        prediction = predict(w, b, X)
        return ((prediction - y) ** 2).mean(), prediction

    gradients, (loss, prediction) = grad_and_value(loss_and_prediction, argnums=(0, 1), has_aux=True)(w, b)
    return loss, prediction, gradients
