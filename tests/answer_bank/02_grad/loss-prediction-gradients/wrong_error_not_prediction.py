# expect: Entry [1] is the error
def loss_prediction_gradients(predict, w, b, X, y):
    def loss_and_error(w, b):
        error = predict(w, b, X) - y
        return (error**2).mean(), error

    gradients, (loss, error) = grad_and_value(loss_and_error, argnums=(0, 1), has_aux=True)(w, b)
    return loss, error, gradients
