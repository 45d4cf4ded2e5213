# expect: Nothing here was recorded
def row_gradient(loss, w, x_row, target):
    leaf = w.clone().requires_grad_(True)
    loss(w, x_row, target).backward()
    return leaf.grad
