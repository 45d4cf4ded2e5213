# expect: switched requires_grad of its argument w
def loss_prediction_gradients(predict, w, b, X, y):
    w.requires_grad_()
    b.requires_grad_()
    prediction = predict(w, b, X)
    loss = ((prediction - y) ** 2).mean()
    gradients = torch.autograd.grad(loss, (w, b))
    return loss.detach(), prediction.detach(), gradients
