# expect: Entry [2] is the gradient of w alone
def loss_prediction_gradients(predict, w, b, X, y):
    def loss_and_prediction(w, b):
        prediction = predict(w, b, X)
        return ((prediction - y) ** 2).mean(), prediction

    gradients, (loss, prediction) = grad_and_value(loss_and_prediction, has_aux=True)(w, b)
    return loss, prediction, gradients
