# expect: What has_aux returns may hold tensors only
def loss_prediction_gradients(predict, w, b, X, y):
    def loss(w, b):
        prediction = predict(w, b, X)
        return ((prediction - y) ** 2).sum() / len(X), {"prediction": prediction, "rows": len(X)}

    gradients, (value, aux) = grad_and_value(loss, argnums=(0, 1), has_aux=True)(w, b)
    return value, aux["prediction"], gradients
