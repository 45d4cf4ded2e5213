# expect: still attached to a graph
def row_gradient(loss, w, x_row, target):
    leaf = w.clone().requires_grad_(True)
    (gradient,) = torch.autograd.grad(loss(leaf, x_row, target), leaf, create_graph=True)
    return gradient
