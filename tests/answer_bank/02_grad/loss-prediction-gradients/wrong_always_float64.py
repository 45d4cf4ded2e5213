# expect: dtype float64, expected float32
def loss_prediction_gradients(predict, w, b, X, y):
    def inner(w, b):
        p = predict(w, b, X.double())
        return ((p - y) ** 2).mean(), p

    gradients, (loss, prediction) = grad_and_value(inner, argnums=(0, 1), has_aux=True)(w.double(), b.double())
    return loss, prediction, gradients
