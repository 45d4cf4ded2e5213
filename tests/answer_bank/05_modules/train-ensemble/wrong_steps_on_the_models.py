# expect: changed its argument models
def train_ensemble(models, loss, X, Y, steps, rate):
    for model in models:
        for _ in range(steps):
            model.zero_grad()
            loss(model(X), Y).backward()
            with torch.no_grad():
                for p in model.parameters():
                    p -= rate * p.grad
    params, _ = stack_module_state(models)
    return {k: v.detach() for k, v in params.items()}
