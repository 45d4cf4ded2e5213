# expect: w and x_row are exchanged in the call of the loss
def row_gradient(loss, w, x_row, target):
    leaf = w.clone().requires_grad_(True)
    loss(x_row, leaf, target).backward()
    return leaf.grad
