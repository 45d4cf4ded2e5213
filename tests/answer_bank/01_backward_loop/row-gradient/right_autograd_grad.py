def row_gradient(loss, w, x_row, target):
    leaf = w.detach().clone().requires_grad_()
    return torch.autograd.grad(loss(leaf, x_row, target), leaf)[0]
