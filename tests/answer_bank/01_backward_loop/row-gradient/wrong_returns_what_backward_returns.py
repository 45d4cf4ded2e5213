# expect: None (is the return statement missing?)
def row_gradient(loss, w, x_row, target):
    leaf = w.clone().requires_grad_(True)
    return loss(leaf, x_row, target).backward()
