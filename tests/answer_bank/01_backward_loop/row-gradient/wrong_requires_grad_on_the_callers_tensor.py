# expect: switched requires_grad of its argument w
def row_gradient(loss, w, x_row, target):
    w.requires_grad_(True)
    loss(w, x_row, target).backward()
    return w.grad
