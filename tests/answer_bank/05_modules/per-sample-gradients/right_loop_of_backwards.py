def per_sample_gradients(model, X, Y):
    names = [name for name, _ in model.named_parameters()]
    rows = []
    for x, y in zip(X, Y):
        loss = ((model(x) - y) ** 2).mean()
        rows.append(torch.autograd.grad(loss, list(model.parameters())))
    return {name: torch.stack([row[i] for row in rows]) for i, name in enumerate(names)}
