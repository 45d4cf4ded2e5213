# expect: Loss and prediction have changed places
def loss_prediction_gradients(predict, w, b, X, y):
    def loss_and_prediction(w, b):
        prediction = predict(w, b, X)
        return ((prediction - y) ** 2).mean(), prediction

    gradients, (loss, prediction) = grad_and_value(loss_and_prediction, argnums=(0, 1), has_aux=True)(w, b)
    return prediction, loss, gradients
