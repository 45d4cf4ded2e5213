def mixes_rows(model, X):
    tensors = {n: t.detach().clone() for n, t in [*model.named_parameters(), *model.named_buffers()]}
    leaf = X.clone().requires_grad_(True)
    output = functional_call(model, tensors, (leaf,))
    for b, row in enumerate(output):
        for value in row**2 + row:
            (gradient,) = torch.autograd.grad(value, leaf, retain_graph=True)
            gradient[b] = 0
            if gradient.abs().max() > 1e-6:
                return True
    return False
