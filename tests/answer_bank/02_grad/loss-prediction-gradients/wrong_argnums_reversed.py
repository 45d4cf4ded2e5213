# expect: The two gradients are in the wrong order
def loss_prediction_gradients(predict, w, b, X, y):
    def loss_and_prediction(w, b):
        prediction = predict(w, b, X)
        return ((prediction - y) ** 2).mean(), prediction

    gradients, (loss, prediction) = grad_and_value(loss_and_prediction, argnums=(1, 0), has_aux=True)(w, b)
    return loss, prediction, gradients
