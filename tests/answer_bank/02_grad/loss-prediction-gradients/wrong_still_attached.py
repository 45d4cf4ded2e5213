# expect: still attached to a graph
def loss_prediction_gradients(predict, w, b, X, y):
    w, b = w.clone().requires_grad_(True), b.clone().requires_grad_(True)
    prediction = predict(w, b, X)
    loss = ((prediction - y) ** 2).mean()
    return loss, prediction, torch.autograd.grad(loss, (w, b))
