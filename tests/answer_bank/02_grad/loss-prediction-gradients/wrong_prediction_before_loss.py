# expect: must return a tensor of shape ()
def loss_prediction_gradients(predict, w, b, X, y):
    def prediction_and_loss(w, b):
        prediction = predict(w, b, X)
        return prediction, ((prediction - y) ** 2).mean()

    gradients, (prediction, loss) = grad_and_value(prediction_and_loss, argnums=(0, 1), has_aux=True)(w, b)
    return loss, prediction, gradients
