def gradients_of_both(loss, w, b, X, y):
    D = len(w)
    theta = torch.cat([w, b[None]]).requires_grad_(True)
    table = torch.zeros(len(X), D + 1, dtype=w.dtype)
    for i in range(len(X)):
        table[i] = torch.autograd.grad(loss(theta[:D], theta[D], X[i], y[i]), theta)[0]
    return {"b": table[:, D], "w": table[:, :D]}
