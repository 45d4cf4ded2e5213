# expect: All derivatives are zero
def adapt(loss, params, x, y, rate, steps):
    params = {k: v.clone().detach().requires_grad_() for k, v in params.items()}
    optimizer = torch.optim.SGD(params.values(), lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(params, x, y).backward()
        optimizer.step()
    return params
