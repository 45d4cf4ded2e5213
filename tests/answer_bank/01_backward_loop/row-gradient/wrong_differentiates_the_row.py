# expect: This is the gradient with respect to the row
def row_gradient(loss, w, x_row, target):
    leaf = x_row.clone().requires_grad_(True)
    loss(w, leaf, target).backward()
    return leaf.grad
