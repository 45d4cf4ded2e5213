# expect: switched train and eval mode of its argument models
def predict_with_doubt(models, X):
    for model in models:
        model.train()
    with torch.no_grad():
        out = torch.stack([model(X) for model in models])
    return out.mean(0), out.std(0)
