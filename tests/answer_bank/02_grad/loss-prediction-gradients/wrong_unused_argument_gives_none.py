# expect: The gradient of b is None
def loss_prediction_gradients(predict, w, b, X, y):
    w, b = w.clone().requires_grad_(True), b.clone().requires_grad_(True)
    prediction = predict(w, b, X)
    loss = ((prediction - y) ** 2).mean()
    loss.backward()
    return loss.detach(), prediction.detach(), (w.grad, b.grad)
