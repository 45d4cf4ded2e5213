# expect: 4 times is enough
def train_ensemble(models, loss, X, Y, steps, rate):
    trained = []
    for model in models:
        p = {k: v.detach() for k, v in model.named_parameters()}
        for _ in range(steps):
            g = grad(lambda p: loss(functional_call(model, p, (X,)), Y))(p)
            p = {k: p[k] - rate * g[k] for k in p}
        trained.append(p)
    return {k: torch.stack([p[k] for p in trained]) for k in trained[0]}
