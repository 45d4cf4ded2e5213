# expect: dtype float64, expected float32
def row_gradient(loss, w, x_row, target):
    leaf = torch.tensor(w.tolist(), dtype=torch.float64, requires_grad=True)
    loss(leaf, x_row.double(), target.double()).backward()
    return leaf.grad
