def predict_with_doubt(models, X):
    with torch.no_grad():
        out = torch.stack([model(X) for model in models])
    return out.mean(dim=0), out.var(dim=0).sqrt()
