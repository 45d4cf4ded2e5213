# expect: left a gradient in .grad
def row_gradient(loss, w, x_row, target):
    w.requires_grad = True
    loss(w, x_row, target).backward()
    g = w.grad
    w.requires_grad = False
    return g
