def mixes_rows(model, X):
    tensors = {n: t.detach().clone() for n, t in [*model.named_parameters(), *model.named_buffers()]}
    leaf = X.clone().requires_grad_(True)
    first = functional_call(model, tensors, (leaf,))[0]
    weights = torch.arange(1, len(first) + 1).to(first)
    (gradient,) = torch.autograd.grad((first**2 * weights).sum(), leaf)
    return bool(gradient[1:].abs().max() > 1e-6)
