# expect: with another model
def loss_prediction_gradients(predict, w, b, X, y):
    prediction = predict(w, b, X)
    error = prediction - y
    return (error**2).mean(), prediction, (2 * error @ X / len(X), 2 * error.mean())
