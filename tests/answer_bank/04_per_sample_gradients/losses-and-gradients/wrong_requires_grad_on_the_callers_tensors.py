# expect: switched requires_grad of its argument w
def losses_and_gradients(loss, w, b, X, y):
    w.requires_grad_(True)
    b.requires_grad_(True)
    losses = vmap(loss, in_dims=(None, None, 0, 0))(w, b, X, y)
    rows = [torch.autograd.grad(value, (w, b), retain_graph=True) for value in losses]
    of_w, of_b = zip(*rows)
    return losses.detach(), (torch.stack(of_w), torch.stack(of_b))
