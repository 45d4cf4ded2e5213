def adapt(loss, params, x, y, rate, steps):
    params = {k: v.clone().requires_grad_() for k, v in params.items()}
    for _ in range(steps):
        values = torch.autograd.grad(loss(params, x, y), list(params.values()), create_graph=True)
        params = {k: params[k] - rate * g for k, g in zip(params, values)}
    return params
