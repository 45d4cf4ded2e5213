def inner_step(loss, params, x, y, rate):
    leaves = {k: v.clone().requires_grad_() for k, v in params.items()}
    values = torch.autograd.grad(loss(leaves, x, y), list(leaves.values()))
    return {k: params[k] - rate * g for k, g in zip(leaves, values)}
